import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { COLUMNS, dataPointOf, type Point } from "#telemetry/columns.ts";
import { measure, Samples } from "#telemetry/metrics.ts";

import { type Line, linesOf, pointsOf } from "../support/telemetry.ts";

const SWEEP: Point = { kind: "sweep", outcome: "succeeded", duration_ms: 5 };

function run(change: Partial<Extract<Point, { kind: "run" }>> = {}): Point {
  const known = { emitter_id: "dc_1", outcome: "succeeded", trigger: "http" };
  return { kind: "run", owner_id: "u_1", ...known, duration_ms: 1, compute_ms: 1, ...change };
}

/** Samples, and their written points. */
function newSamples() {
  const written: Point[] = [];
  return { written, samples: new Samples((point) => void written.push(point)) };
}

const counted = (points: Point[]) => points.reduce((sum, { count = 0 }) => sum + count, 0);

test("a point has its values in the columns of its kind", () => {
  expect(dataPointOf(run({ duration_ms: 7, compute_ms: 3 }))).toEqual({
    indexes: ["run:u_1"],
    blobs: ["run", "u_1", "dc_1", "succeeded", "http"],
    doubles: [1, 7, 3],
  });
  expect(dataPointOf({ ...SWEEP, count: 4 })).toEqual({
    indexes: ["sweep:succeeded"],
    blobs: ["sweep", "", "succeeded"],
    doubles: [4, 5],
  });
});

test("no point exceeds the limits of Analytics Engine, whatever its values", () => {
  for (const [kind, { blobs, doubles }] of Object.entries(COLUMNS)) {
    const words = Object.fromEntries(blobs.map((name) => [name, "x".repeat(100_000)]));
    const numbers = Object.fromEntries(doubles.map((name) => [name, 1]));
    const point = { kind, owner_id: "y".repeat(1000), ...words, ...numbers } as unknown as Point;
    const { indexes, ...data } = dataPointOf(point);
    expect(indexes).toHaveLength(1);
    expect(JSON.stringify(indexes?.[0]).length - 2).toBeLessThanOrEqual(96);
    expect(data.blobs?.length).toBeLessThanOrEqual(20);
    expect(data.doubles?.length).toBeLessThanOrEqual(20);
    expect(data.doubles?.every((value) => Number.isFinite(value))).toBe(true);
    expect(JSON.stringify(data.blobs).length).toBeLessThan(16_000);
  }
});

test("the bound dataset accepts every kind of point", async () => {
  const write = vi.spyOn(env.METRICS, "writeDataPoint");
  const lines = await linesOf("debug", () => {
    measure(SWEEP);
    measure(run());
  });
  expect([write.mock.calls.length, lines]).toEqual([2, []]);
  write.mockRestore();
});

test("a failed write of a point is logged, and fails nothing else", async () => {
  const write = vi.spyOn(env.METRICS, "writeDataPoint").mockImplementation(() => {
    throw new Error("too many data points");
  });
  const lines = await linesOf("debug", () => measure(SWEEP));
  expect(lines).toMatchObject([{ event: "metric_lost", level: "warn" }]);
  write.mockRestore();
});

test("occasional points are written at once, unchanged", () => {
  const { written, samples } = newSamples();
  for (const atMs of [10_000, 20_000, 30_000]) samples.add(run({ duration_ms: atMs }), atMs);
  expect(written).toEqual(
    [10_000, 20_000, 30_000].map((ms) => ({ ...run({ duration_ms: ms }), count: 1 })),
  );
});

test("a stream of points is written as a few representative points", () => {
  const { written, samples } = newSamples();
  samples.add(run(), 10_000);
  written.length = 0;
  for (let n = 0; n < 1003; n += 1) samples.add(run({ duration_ms: n }), 10_001);
  for (let n = 0; n < 7; n += 1) samples.add(run({ outcome: "failed" }), 10_002);
  expect(written).toEqual([]);
  samples.flush(10_003);
  const [fine, failed] = [written.slice(0, 10), written.slice(10)];
  expect([fine.length, counted(fine), failed.length, counted(failed)]).toEqual([10, 1003, 7, 7]);
  // Picked from the whole stream, each at most once.
  const durations = fine.map((point) => ("duration_ms" in point ? point.duration_ms : -1));
  expect(new Set(durations).size).toBe(10);
  expect(Math.max(...durations)).toBeGreaterThan(10);
  samples.flush(20_000);
  expect(written).toHaveLength(17);
});

test("an object writes at most an invocation's limit of points, however much it measures", () => {
  const { written, samples } = newSamples();
  samples.add(run(), 10_000);
  let most = 0;
  for (let n = 0; n < 20_000; n += 1) {
    const before = written.length;
    samples.add(run({ trigger: `t${n % 20}` }), 10_001);
    most = Math.max(most, written.length - before);
  }
  const before = written.length;
  samples.flush(10_002);
  expect(Math.max(most, written.length - before)).toBeLessThanOrEqual(250);
  expect(counted(written)).toBe(20_001);
});

test("a sweep writes a data point, and one with each queue's backlog", async () => {
  const { sweepRegularly } = await import("#worker/cron.ts");
  const points = await pointsOf(() => sweepRegularly(env));
  const kinds = new Set(["sweep", "queue"]);
  expect(points.filter(({ kind }) => kinds.has(String(kind)))).toMatchObject([
    { kind: "sweep", outcome: "succeeded", duration_ms: expect.any(Number) },
    ...["emissions", "emissions-1"].map((queue) => ({
      kind: "queue",
      queue,
      messages: expect.any(Number),
      age_ms: expect.any(Number),
    })),
  ]);
});

test("a failed sweep is logged and measured as failed, and rejects", async () => {
  const { sweepRegularly } = await import("#worker/cron.ts");
  const DB = {
    prepare: () => {
      throw new Error("out of order");
    },
  };
  const written: Line[] = [];
  const points = await pointsOf(async () => {
    written.push(
      ...(await linesOf("info", () =>
        expect(sweepRegularly({ ...env, DB } as unknown as Env)).rejects.toThrow(
          "These tasks failed: alarms, registry",
        ),
      )),
    );
  });
  const lines = written.filter(({ event }) => event.startsWith("sweep_"));
  const swept = points.find(({ kind }) => kind === "sweep");
  expect(swept).toMatchObject({ kind: "sweep", outcome: "failed" });
  expect(lines[0]).toMatchObject({ event: "sweep_part_failed", part: "alarms" });
  expect(lines.slice(-2)).toMatchObject([
    { event: "sweep_failed", level: "error", request_id: expect.any(String) },
    { event: "sweep_ended", outcome: "failed", duration_ms: expect.any(Number) },
  ]);
});

// @suites loader

import { env, exports } from "cloudflare:workers";
import { expect, test } from "vitest";

import { COLUMNS, type Point } from "#telemetry/columns.ts";
import { egressUsage, measure } from "#telemetry/metrics.ts";
import { ScrapedMetrics } from "#telemetry/scraped.ts";

import { operator, ORIGIN } from "../support/client.ts";
import { pointsOf } from "../support/telemetry.ts";

function run(change: Partial<Extract<Point, { kind: "run" }>> = {}): Point {
  const known = { emitter_id: "dc_1", outcome: "succeeded", trigger: "http" };
  return { kind: "run", owner_id: "u_1", ...known, duration_ms: 30, compute_ms: 2, ...change };
}

const COMMENT = /^# (?:HELP [a-z0-9_]+ .+|TYPE [a-z0-9_]+ (?:counter|gauge|histogram))$/;
const SAMPLE = /^([a-z0-9_]+(?:\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})?) (\S+)$/;

/** The samples of a text, by name and labels; each of its lines must be valid OpenMetrics. */
function samplesIn(text: string): Record<string, number> {
  expect(text.endsWith("\n# EOF\n")).toBe(true);
  const lines = text.slice(0, -"\n# EOF\n".length).split("\n");
  const entries = lines
    .filter((line) => !COMMENT.test(line))
    .map((line) => {
      const [, name = line, value] = SAMPLE.exec(line) ?? [];
      return [name, Number(value)] as const;
    });
  expect(entries.filter(([, value]) => !Number.isFinite(value))).toEqual([]);
  return Object.fromEntries(entries);
}

test("counts points by all their labels, and measures durations by a few", async () => {
  const metrics = new ScrapedMetrics();
  metrics.add(run());
  metrics.add(run({ count: 3, duration_ms: 700 }));
  metrics.add(run({ owner_id: "u_2", outcome: "failed" }));
  const samples = samplesIn(await metrics.text());
  const [ada, bob] = ["u_1", "u_2"].map((owner) => `owner_id="${owner}",emitter_id="dc_1"`);
  const words = `outcome="succeeded",trigger="http"`;
  expect(samples).toMatchObject({
    [`wellspring_runs_total{${ada},${words}}`]: 4,
    [`wellspring_runs_total{${bob},outcome="failed",trigger="http"}`]: 1,
    [`wellspring_run_duration_seconds_bucket{le="0.05",${words}}`]: 1,
    [`wellspring_run_duration_seconds_bucket{le="1",${words}}`]: 4,
    [`wellspring_run_duration_seconds_bucket{le="+Inf",${words}}`]: 4,
    [`wellspring_run_duration_seconds_sum{${words}}`]: 2.13,
    [`wellspring_run_duration_seconds_count{${words}}`]: 4,
    [`wellspring_run_compute_seconds_count{${words}}`]: 4,
  });
});

test("counts every kind of point", async () => {
  const metrics = new ScrapedMetrics();
  const kinds = Object.entries(COLUMNS);
  for (const [kind, { blobs, doubles }] of kinds) {
    const words = Object.fromEntries(blobs.map((name) => [name, "w"]));
    const numbers = Object.fromEntries(doubles.map((name) => [name, 7]));
    metrics.add({ kind, owner_id: "u_1", ...words, ...numbers } as unknown as Point);
  }
  const samples = Object.entries(samplesIn(await metrics.text()));
  const counted = samples.filter(([name]) => /_total\{owner_id="u_1"/.test(name));
  expect(counted.map(([, value]) => value)).toEqual(kinds.map(() => 1));
});

test("reports the last read backlog of the queue", async () => {
  const metrics = new ScrapedMetrics();
  const point = { kind: "queue", queue: "emissions", bytes: 80 } as const;
  metrics.add({ ...point, age_ms: 1500, messages: 4 });
  metrics.add({ ...point, age_ms: 0, messages: 2 });
  expect(samplesIn(await metrics.text())).toMatchObject({
    'wellspring_queue_age_seconds{queue="emissions"}': 0,
    'wellspring_queue_messages{queue="emissions"}': 2,
    'wellspring_queue_bytes{queue="emissions"}': 80,
  });
});

test("a counter has a limited number of ids, and its total is complete", async () => {
  const metrics = new ScrapedMetrics();
  for (let id = 0; id < 10_050; id += 1) metrics.add(run({ emitter_id: `dc_${id}` }));
  metrics.add(run({ emitter_id: "dc_7" }));
  const samples = samplesIn(await metrics.text());
  const runs = Object.keys(samples).filter((name) => name.startsWith("wellspring_runs_total"));
  expect(runs).toHaveLength(10_001);
  const words = `outcome="succeeded",trigger="http"`;
  expect(samples[`wellspring_runs_total{owner_id="u_1",emitter_id="dc_7",${words}}`]).toBe(2);
  expect(samples[`wellspring_runs_total{owner_id="other",emitter_id="other",${words}}`]).toBe(50);
});

test("escapes a label's value", async () => {
  const metrics = new ScrapedMetrics();
  metrics.add(run({ trigger: 'a"} 1\n# EOF\n\\' }));
  expect(await metrics.text()).toContain('trigger="a\\"} 1\\n# EOF\\n\\\\"} 1\n');
});

test("counts requests of components with their bytes", async () => {
  const metrics = new ScrapedMetrics();
  for (const sent of [10, 20])
    metrics.addEgress({
      indexes: ["u_1"],
      blobs: ["2xx", "GET", "loader"],
      doubles: [1, 40, sent, 5, 1],
    });
  const words = `outcome="2xx",method="GET",adapter="loader"`;
  expect(samplesIn(await metrics.text())).toMatchObject({
    [`wellspring_egress_requests_total{owner_id="u_1",${words}}`]: 2,
    'wellspring_egress_sent_bytes_total{owner_id="u_1"}': 30,
    'wellspring_egress_received_bytes_total{owner_id="u_1"}': 10,
    'wellspring_egress_unmeasured_total{owner_id="u_1"}': 2,
    [`wellspring_egress_duration_seconds_bucket{le="0.05",${words}}`]: 2,
  });
});

test("reports the last figures of sandbox processes with their complete counters", async () => {
  const metrics = new ScrapedMetrics();
  const figures = {
    processes: [
      { name: "0", memoryBytes: 80, calls: 2, isolates: 5, starts: 2, ends: { silent: 1 } },
      { name: "trial", memoryBytes: 0, calls: 0, isolates: 0, starts: 0, ends: {} },
    ],
    quarantined: { trial: 3, confined: 0 },
    confined: 1,
  };
  metrics.setSandboxes({ ...figures, confined: 7 });
  metrics.setSandboxes(figures);
  expect(samplesIn(await metrics.text())).toMatchObject({
    'wellspring_sandbox_memory_bytes{process="0"}': 80,
    'wellspring_sandbox_calls{process="0"}': 2,
    'wellspring_sandbox_isolates{process="0"}': 5,
    'wellspring_sandbox_starts_total{process="0"}': 2,
    'wellspring_sandbox_starts_total{process="trial"}': 0,
    'wellspring_sandbox_ends_total{process="0",reason="silent"}': 1,
    'wellspring_sandbox_quarantined{lane="trial"}': 3,
    wellspring_sandbox_confined: 1,
  });
});

const scrape = () =>
  exports.default.fetch(`${ORIGIN}/admin/metrics`, {
    headers: { authorization: "Bearer operator" },
  });

test("a platform without scraping names the dataset with the metrics", async () => {
  expect(await operator.get("/metrics")).toMatchObject({
    status: 404,
    body: { error: expect.stringContaining("wellspring_metrics"), code: "not_found" },
  });
  expect(egressUsage(env)).toBe(env.EGRESS_USAGE);
});

test("a scraped platform writes no points, and serves the sums to its operator", async () => {
  env.METRICS_SCRAPED = "true";
  try {
    const points = await pointsOf(() => measure({ kind: "sweep", outcome: "odd", duration_ms: 5 }));
    expect(points).toEqual([]);
    egressUsage(env)?.writeDataPoint({ indexes: ["u_1"], blobs: ["odd", "GET", "loader"] });
    const response = await scrape();
    expect(response.headers.get("content-type")).toContain("application/openmetrics-text");
    const text = await response.text();
    expect(text).toContain('wellspring_sweeps_total{owner_id="",outcome="odd"} 1\n');
    expect(text).toContain('{owner_id="u_1",outcome="odd",method="GET",adapter="loader"} 1\n');
  } finally {
    delete env.METRICS_SCRAPED;
  }
});

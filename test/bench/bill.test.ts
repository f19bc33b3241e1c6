import { expect, test } from "vitest";

import { allowanceOf, billOf, unitsOf } from "../../tools/bench/costs/bill.ts";
import { countedSteps } from "../../tools/bench/costs/bindings.ts";
import { Tally } from "../../tools/bench/costs/tally.ts";

const EVENT = {
  "worker.requests": 1,
  "worker.batches": 0.5,
  "workflows.instances": 0.5,
  "workflows.steps": 3,
  "source.requests": 3,
  "webhook.alarms": 1,
  "source.activeMs": 1000,
  "source.rowsWritten": 4,
  "webhook.rowsWritten": 2,
  "queue.written": 1,
  "queue.read": 1.25,
  "queue.retried": 0.25,
};

test("counts become Cloudflare's billing units", () => {
  expect(unitsOf(EVENT, 10)).toMatchObject({
    workerRequests: 2,
    cpuMs: 10,
    workflowSteps: 3,
    objectRequests: 4,
    objectSeconds: 0.128,
    objectRowsWritten: 6,
    // Written once, read and deleted once, and read once more by a quarter of them.
    queueOperations: 3.25,
    d1RowsWritten: 0,
  });
});

test("a million events cost a million times the units of one event", () => {
  const { lines, usd } = billOf(unitsOf(EVENT, 10));
  const of = (thing: string) => lines.find((line) => line.thing === thing)?.usd;
  expect(of("workerRequests")).toBeCloseTo(0.6);
  expect(of("cpuMs")).toBeCloseTo(0.2);
  expect(of("workflowSteps")).toBeCloseTo(24);
  expect(of("objectRequests")).toBeCloseTo(0.6);
  expect(of("objectSeconds")).toBeCloseTo(1.6);
  expect(of("objectRowsWritten")).toBeCloseTo(6);
  expect(of("queueOperations")).toBeCloseTo(1.3);
  expect(usd).toBeCloseTo(34.3);
});

test("the scarcest allowance of a plan limits its events", () => {
  const used = unitsOf(EVENT);
  expect(allowanceOf(used, "paid")?.thing).toBe("workflowSteps");
  expect(allowanceOf(used, "paid")?.events).toBeCloseTo(500_000 / 3);
  expect(allowanceOf(used, "free")?.events).toBeCloseTo((3000 * 30) / 3);
  const { "workflows.steps": _, ...stepless } = EVENT;
  const { thing, events } = allowanceOf(unitsOf(stepless), "free") ?? {};
  expect(thing).toBe("queueOperations");
  expect(events).toBeCloseTo((10_000 * 30) / 3.25);
  expect(allowanceOf(unitsOf({}), "paid")).toBeUndefined();
});

test("pauses of a run are steps, as its units of work are", async () => {
  const tally = new Tally();
  const ended = async (name: string) => name;
  const engine = { do: ended, sleep: ended, sleepUntil: ended, waitForEvent: ended };
  const steps = countedSteps(engine, tally);
  for (const name of ["do", "sleep", "sleepUntil", "waitForEvent"] as const)
    expect(await steps[name](name)).toBe(name);
  expect(tally.counts()).toEqual({ "workflows.steps": 4 });
});

import { expect, test } from "vitest";

import { allowanceOf, billOf, unitsOf } from "../../tools/bench/costs/bill.ts";

const EVENT = {
  "worker.requests": 1,
  "worker.batches": 0.5,
  "workflows.instances": 0.5,
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
  expect(of("objectRequests")).toBeCloseTo(0.6);
  expect(of("objectSeconds")).toBeCloseTo(1.6);
  expect(of("objectRowsWritten")).toBeCloseTo(6);
  expect(of("queueOperations")).toBeCloseTo(1.3);
  expect(usd).toBeCloseTo(10.3);
});

test("the scarcest allowance of a plan limits its events", () => {
  const used = unitsOf(EVENT);
  expect(allowanceOf(used, "paid")).toEqual({ thing: "objectRequests", events: 250_000 });
  const { thing, events } = allowanceOf(used, "free") ?? {};
  expect(thing).toBe("queueOperations");
  expect(events).toBeCloseTo((10_000 * 30) / 3.25);
  expect(allowanceOf(unitsOf({}), "paid")).toBeUndefined();
});

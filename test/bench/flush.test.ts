import { expect, test } from "vitest";

import { flushesPerSecond, withFlush } from "../../tools/bench/costs/flush.ts";

const COUNTS = { perEvent: { "queue.written": 1 }, perFlush: { "d1.rowsWritten": 3 } };

test("events of five minutes share the write of usage to D1", () => {
  expect(withFlush({ perSecond: 0.1, ...COUNTS })).toEqual({
    "queue.written": 1,
    "d1.rowsWritten": 0.1,
  });
  expect(withFlush({ perSecond: 1 / 3600, ...COUNTS })["d1.rowsWritten"]).toBe(3);
  expect(withFlush({ perSecond: 1, perEvent: { "queue.written": 1 } })).toEqual({
    "queue.written": 1,
  });
});

test("a write waits for the first event after the last one", () => {
  expect(flushesPerSecond(0)).toBe(0);
  expect(flushesPerSecond(1 / 300)).toBeCloseTo(1 / 600);
  expect(flushesPerSecond(1e6)).toBeCloseTo(1 / 300);
});

import { expect, test } from "vitest";

import { addHours, countsAt, everyHour, NO_ACTIVITY, spanOf } from "#domain/activity.ts";

test("adds up counts of hours, even with different kinds", () => {
  const at = Date.UTC(2026, 0, 31, 13, 59);
  expect(countsAt(at, { runs: 1, events: 2 })).toEqual({ 13: [1, 0, 2, 0, 0] });
  expect(addHours({ 13: [1, 2], 14: [1] }, { 13: [1, 1, 5], 15: [7] })).toEqual({
    13: [2, 3, 5],
    14: [1],
    15: [7],
  });
});

test("a span ends with the current hour, and has every hour", () => {
  const hour = 3600;
  const now = 100 * hour + 17;
  const span = spanOf(now, 3);
  expect(span).toEqual({ from: 98 * hour, to: 101 * hour, before: 95 * hour });
  const known = { ...NO_ACTIVITY, at: 99 * hour, runs: 4 };
  expect(everyHour(span, [known])).toEqual([
    { ...NO_ACTIVITY, at: 98 * hour },
    known,
    { ...NO_ACTIVITY, at: 100 * hour },
  ]);
});

import { expect, test } from "vitest";

import { hasFailedTooLong, nextAttempt, retryAfter } from "#domain/retries.ts";

const NOW = Date.parse("2026-03-02T07:30:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

test.for([
  [1, 5000],
  [2, 5 * MINUTE],
  [3, 30 * MINUTE],
  [4, 2 * HOUR],
  [5, 5 * HOUR],
  [6, 10 * HOUR],
  [7, 14 * HOUR],
  [8, 20 * HOUR],
  [9, 24 * HOUR],
] as const)(
  "after failure %i a delivery waits %i ms, plus or minus a fifth",
  ([failures, delay]) => {
    expect(nextAttempt(failures, NOW, 0.5)).toBe(NOW + delay);
    expect(nextAttempt(failures, NOW, 0)).toBe(NOW + delay * 0.8);
    expect(nextAttempt(failures, NOW, 1)).toBe(NOW + delay * 1.2);
  },
);

test("the tenth failure is the last", () => {
  expect(nextAttempt(10, NOW, 0.5)).toBeUndefined();
});

test.for([
  ["120", NOW + 120_000],
  [" 7 ", NOW + 7000],
  ["0", NOW],
  ["999999999999", NOW + DAY],
  ["Mon, 02 Mar 2026 07:31:00 GMT", NOW + MINUTE],
  ["Mon, 02 Mar 2026 07:29:00 GMT", NOW],
  ["Tue, 02 Mar 2027 07:30:00 GMT", NOW + DAY],
  ["soon", undefined],
  ["", undefined],
  [null, undefined],
] as const)("Retry-After %j", ([header, atMs]) => {
  expect(retryAfter(header, NOW)).toBe(atMs);
});

test("a webhook has failed too long after five days", () => {
  expect(hasFailedTooLong(NOW, NOW + 5 * DAY - 1)).toBe(false);
  expect(hasFailedTooLong(NOW, NOW + 5 * DAY)).toBe(true);
});

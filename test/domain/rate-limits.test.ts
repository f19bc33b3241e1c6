import { expect, test } from "vitest";

import {
  countIn,
  excessOf,
  isFull,
  rateHeaders,
  secondsLeft,
  type Window,
  withRequest,
} from "#domain/rate-limits.ts";

test("counts requests in windows of ten seconds, each started by its first request", () => {
  const times = [0, 1, 9_999, 10_000, 30_000, 39_999];
  const seen: Window[] = [];
  for (const atMs of times) seen.push(withRequest(seen.at(-1), atMs));
  expect(seen).toEqual([
    { count: 1, endsAtMs: 10_000 },
    { count: 2, endsAtMs: 10_000 },
    { count: 3, endsAtMs: 10_000 },
    { count: 1, endsAtMs: 20_000 },
    { count: 1, endsAtMs: 40_000 },
    { count: 2, endsAtMs: 40_000 },
  ]);
});

test("a window is full at its limit until it ends", () => {
  const window = { count: 3, endsAtMs: 10_000 };
  expect(isFull(window, 4, 9_999)).toBe(false);
  expect(isFull(window, 3, 9_999)).toBe(true);
  expect(isFull(window, 3, 10_000)).toBe(false);
});

test("the requests of a window count until it ends", () => {
  const window = { count: 3, endsAtMs: 10_000 };
  expect([undefined, window].map((open) => countIn(open, 9_999))).toEqual([0, 3]);
  expect(countIn(window, 10_000)).toBe(0);
});

test.for([
  [1, "2"],
  [3, "0"],
  [7, "0"],
] as const)("after %i of 3 requests, %s remain", ([count, remaining]) => {
  expect(rateHeaders({ count, endsAtMs: 10_001 }, 3)).toEqual({
    "X-RateLimit-Limit": "3",
    "X-RateLimit-Remaining": remaining,
    "X-RateLimit-Reset": "11",
  });
});

test("a caller waits whole seconds, at least one", () => {
  const window = { count: 1, endsAtMs: 10_000 };
  expect([0, 8_500, 9_999, 10_000].map((nowMs) => secondsLeft(window, nowMs))).toEqual([
    10, 2, 1, 1,
  ]);
});

test.for([
  [{ ofKey: 2, ofOwner: 10 }, undefined],
  [
    { ofKey: 3, ofOwner: 3 },
    { of: "key", limit: 2 },
  ],
  [
    { ofKey: 1, ofOwner: 11 },
    { of: "owner", limit: 10 },
  ],
] as const)("with counts of %o and a limit of 2, the excess is %o", ([counts, excess]) => {
  const window = (count: number) => ({ count, endsAtMs: 10_000 });
  const windows = { ofKey: window(counts.ofKey), ofOwner: window(counts.ofOwner) };
  const { of, limit } = excessOf(windows, 2) ?? {};
  expect(of && { of, limit }).toEqual(excess);
});

import { expect, test } from "vitest";

import {
  billingPeriodOf,
  creditsOf,
  dayOf,
  endOfDay,
  recentUsage,
  usageSince,
} from "#domain/billing.ts";

const at = (iso: string) => Date.parse(iso) / 1000;

test("a billing period is a calendar month", () => {
  expect(billingPeriodOf(at("2026-12-31T23:59:59Z"))).toEqual({
    startAt: at("2026-12-01T00:00:00Z"),
    endAt: at("2027-01-01T00:00:00Z"),
  });
  expect(dayOf(at("2026-12-31T23:59:59Z"))).toBe("2026-12-31");
});

test("a day ends at midnight UTC", () => {
  const midnight = at("2027-01-01T00:00:00Z");
  expect(endOfDay(at("2026-12-31T00:00:00Z"))).toBe(midnight);
  expect(endOfDay(at("2026-12-31T23:59:59Z"))).toBe(midnight);
  expect(endOfDay(midnight)).toBe(at("2027-01-02T00:00:00Z"));
});

test.for([
  [0, 0],
  [1, 1],
  [30_000, 1],
  [30_001, 2],
  [300_000, 10],
] as const)("%i ms of compute cost %i credits", ([ms, credits]) => {
  expect(creditsOf(ms)).toBe(credits);
});

const day = (date: string, invocations: number, hours: Record<string, number[]>) => ({
  day: date,
  invocations,
  computeMs: invocations * 10,
  credits: invocations,
  hours,
});

test("the usage since a report is its difference to the next one, and a repeated one has none", () => {
  const nowMs = Date.parse("2027-01-02T10:00:00Z");
  const before = [day("2027-01-02", 2, { "9": [2, 1] })];
  const later = [day("2027-01-02", 5, { "9": [3, 1], "10": [2] })];
  expect(usageSince(before, later, nowMs)).toEqual([
    day("2027-01-02", 3, { "9": [1, 0], "10": [2] }),
  ]);
  expect(usageSince(later, later, nowMs)).toEqual([]);
});

test("late usage of a past day counts for the current hour", () => {
  const nowMs = Date.parse("2027-01-02T00:00:05Z");
  const late = [day("2027-01-01", 3, { "22": [1], "23": [2] })];
  expect(usageSince([], late, nowMs)).toEqual([day("2027-01-02", 3, { "0": [3] })]);
  expect(recentUsage([...late, day("2026-12-01", 1, {})], nowMs)).toEqual(late);
});

import { expect, test } from "vitest";

import { billingPeriodOf, creditsOf, dayOf, endOfDay } from "#domain/billing.ts";

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

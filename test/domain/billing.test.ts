import { expect, test } from "vitest";

import { billingPeriodOf, dayOf } from "../../src/domain/billing.ts";

const at = (iso: string) => Date.parse(iso) / 1000;

test("a billing period is a calendar month", () => {
  expect(billingPeriodOf(at("2026-12-31T23:59:59Z"))).toEqual({
    startAt: at("2026-12-01T00:00:00Z"),
    endAt: at("2027-01-01T00:00:00Z"),
  });
  expect(dayOf(at("2026-12-31T23:59:59Z"))).toBe("2026-12-31");
});

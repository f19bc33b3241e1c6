import { expect, test } from "vitest";

import { allowanceOf } from "#domain/quotas.ts";

const NONE = { dailyInvocationsQuota: null, dailyComputeMsQuota: null, dailyCreditsQuota: null };
const used = { invocations: 10, computeMs: 1000, credits: 12 };

test.for([
  ["no quota", {}, null],
  [
    "a quota of invocations",
    { dailyInvocationsQuota: 12 },
    { runsLeft: 2, quota: "daily_invocations_quota", limit: 12 },
  ],
  [
    "a quota of credits",
    { dailyCreditsQuota: 13 },
    { runsLeft: 1, quota: "daily_credits_quota", limit: 13 },
  ],
  [
    "a quota of compute",
    { dailyComputeMsQuota: 1001 },
    { runsLeft: Number.MAX_SAFE_INTEGER, quota: "daily_compute_time_quota", limit: 1001 },
  ],
  [
    "a used-up quota of compute",
    { dailyComputeMsQuota: 1000, dailyCreditsQuota: 99 },
    { runsLeft: 0, quota: "daily_compute_time_quota", limit: 1000 },
  ],
  [
    "an exceeded quota",
    { dailyInvocationsQuota: 20, dailyCreditsQuota: 5 },
    { runsLeft: 0, quota: "daily_credits_quota", limit: 5 },
  ],
  [
    "an exactly used-up quota",
    { dailyInvocationsQuota: 10 },
    { runsLeft: 0, quota: "daily_invocations_quota", limit: 10 },
  ],
] as const)("the remaining allowance with %s", ([, quotas, allowance]) => {
  expect(allowanceOf({ ...NONE, ...quotas }, used)).toEqual(allowance);
});

import { expect, test } from "vitest";

import { allowanceOf } from "#domain/quotas.ts";

const NONE = { dailyInvocationsQuota: null, dailyComputeMsQuota: null, dailyCreditsQuota: null };
const used = { invocations: 10, computeMs: 1000, credits: 12 };

test.for([
  ["nothing is limited", {}, null],
  [
    "invocations are",
    { dailyInvocationsQuota: 12 },
    { runsLeft: 2, quota: "daily_invocations_quota", limit: 12 },
  ],
  [
    "credits are",
    { dailyCreditsQuota: 13 },
    { runsLeft: 1, quota: "daily_credits_quota", limit: 13 },
  ],
  [
    "compute is",
    { dailyComputeMsQuota: 1001 },
    { runsLeft: Number.MAX_SAFE_INTEGER, quota: "daily_compute_time_quota", limit: 1001 },
  ],
  [
    "compute is used up",
    { dailyComputeMsQuota: 1000, dailyCreditsQuota: 99 },
    { runsLeft: 0, quota: "daily_compute_time_quota", limit: 1000 },
  ],
  [
    "more was used than there is",
    { dailyInvocationsQuota: 20, dailyCreditsQuota: 5 },
    { runsLeft: 0, quota: "daily_credits_quota", limit: 5 },
  ],
  [
    "a quota is used up on the spot",
    { dailyInvocationsQuota: 10 },
    { runsLeft: 0, quota: "daily_invocations_quota", limit: 10 },
  ],
] as const)("where %s, that says what is left", ([, quotas, allowance]) => {
  expect(allowanceOf({ ...NONE, ...quotas }, used)).toEqual(allowance);
});

import { expect, test } from "vitest";

import { allowanceAfter, allowanceOf, type Quotas } from "#domain/quotas.ts";

const NONE = {
  dailyInvocationsQuota: null,
  dailyComputeMsQuota: null,
  dailyCreditsQuota: null,
  storageQuota: null,
};
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

test.for([
  [{ dailyInvocationsQuota: 12 }, 1, "daily_invocations_quota"],
  [{ dailyCreditsQuota: 15 }, 1, "daily_credits_quota"],
  [{ dailyComputeMsQuota: 1101 }, Number.MAX_SAFE_INTEGER, "daily_compute_time_quota"],
  [{ dailyComputeMsQuota: 1100 }, 0, "daily_compute_time_quota"],
  [{ dailyInvocationsQuota: 20, dailyComputeMsQuota: 1100 }, 0, "daily_compute_time_quota"],
] as const)("one more run leaves of %j a rest of %s", ([some, runsLeft, quota]) => {
  const state = { quotas: { ...NONE, ...some } satisfies Quotas, used };
  const allowance = allowanceOf(state.quotas, used);
  if (!allowance) throw new Error("There is a quota");
  const more = { invocations: 1, computeMs: 100, credits: 2 };
  expect(allowanceAfter({ ...allowance, state }, more)).toMatchObject({ runsLeft, quota });
});

test("of an object of an earlier release only the number of runs is known", () => {
  const allowance = { runsLeft: 5, quota: "daily_credits_quota", limit: 9 } as const;
  const more = { invocations: 2, computeMs: 100, credits: 3 };
  expect(allowanceAfter(allowance, more)).toEqual({ ...allowance, runsLeft: 3 });
});

test.for([
  [99, Number.MAX_SAFE_INTEGER],
  [100, 0],
  [101, 0],
] as const)(
  "of a storage quota of 100 bytes, %i stored ones leave %i runs",
  ([storedBytes, runsLeft]) => {
    const quotas = { ...NONE, storageQuota: 100 };
    const allowance = { runsLeft, quota: "storage_quota", limit: 100 } as const;
    expect(allowanceOf(quotas, used, storedBytes)).toEqual(allowance);
    const state = { quotas, used, storedBytes };
    expect(allowanceAfter({ ...allowance, state }, used)).toEqual(allowance);
  },
);

import type { Used } from "./billing.ts";

/** What an owner may use up in a UTC day; null: not limited. */
export type Quotas = {
  dailyInvocationsQuota: number | null;
  dailyComputeMsQuota: number | null;
  dailyCreditsQuota: number | null;
};

/** A quota by its name on the wire. */
type QuotaName = "daily_invocations_quota" | "daily_compute_time_quota" | "daily_credits_quota";

/** How many more runs an owner's quotas allow today, and which of them allows the fewest; null: none is set. */
export type Allowance = { runsLeft: number; quota: QuotaName } | null;

/** What is left of an owner's quotas. A run takes an invocation and a credit at least; compute may run over. */
export function allowanceOf(quotas: Quotas, used: Used): Allowance {
  const { dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota } = quotas;
  const limits: { left: number | null; quota: QuotaName }[] = [
    { left: leftOf(dailyInvocationsQuota, used.invocations), quota: "daily_invocations_quota" },
    { left: leftOf(dailyCreditsQuota, used.credits), quota: "daily_credits_quota" },
    { left: leftOf(dailyComputeMsQuota, used.computeMs), quota: "daily_compute_time_quota" },
  ];
  return limits.reduce<Allowance>((tightest, { left, quota }) => {
    if (left === null) return tightest;
    // Nobody knows beforehand how long a run takes, so compute limits none until it is used up.
    const runsLeft = quota === "daily_compute_time_quota" && left > 0 ? Infinity : left;
    return tightest && tightest.runsLeft <= runsLeft ? tightest : { runsLeft, quota };
  }, null);
}

function leftOf(quota: number | null, used: number): number | null {
  return quota === null ? null : Math.max(0, quota - used);
}

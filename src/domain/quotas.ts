import type { Used } from "./billing.ts";

/** What an owner may use up in a UTC day; null: not limited. */
export type Quotas = {
  dailyInvocationsQuota: number | null;
  dailyComputeMsQuota: number | null;
  dailyCreditsQuota: number | null;
};

/** Of a new owner. */
export const NO_QUOTAS: Quotas = {
  dailyInvocationsQuota: null,
  dailyComputeMsQuota: null,
  dailyCreditsQuota: null,
};

/** A quota by its name on the wire. */
export type QuotaName =
  | "daily_invocations_quota"
  | "daily_compute_time_quota"
  | "daily_credits_quota";

/** How many more runs an owner's quotas allow today, by the one that allows the fewest; null: none is set. */
export type Allowance = { runsLeft: number; quota: QuotaName; limit: number } | null;

/** Says that a quota is used up. */
export function usedUp(quota: QuotaName): string {
  return `the owner's ${quota.replaceAll("_", " ")} is used up until midnight UTC`;
}

/** What is left of an owner's quotas. A run takes an invocation and a credit at least; compute may run over. */
export function allowanceOf(quotas: Quotas, used: Used): Allowance {
  const { dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota } = quotas;
  const limits = [
    limitOf("daily_invocations_quota", dailyInvocationsQuota, used.invocations),
    limitOf("daily_credits_quota", dailyCreditsQuota, used.credits),
    limitOf("daily_compute_time_quota", dailyComputeMsQuota, used.computeMs),
  ];
  const [tightest] = limits
    .filter((limit) => limit !== null)
    .toSorted((a, b) => a.runsLeft - b.runsLeft);
  return tightest ?? null;
}

function limitOf(quota: QuotaName, limit: number | null, used: number): Allowance {
  if (limit === null) return null;
  const left = Math.max(0, limit - used);
  // Nobody knows beforehand how long a run takes, so compute limits none until it is used up.
  const isOpen = quota === "daily_compute_time_quota" && left > 0;
  return { runsLeft: isOpen ? Number.MAX_SAFE_INTEGER : left, quota, limit };
}

import { addUsed, type Used } from "./billing.ts";

/** An owner's limits per UTC day, and of stored bytes; null: unlimited. */
export type Quotas = {
  dailyInvocationsQuota: number | null;
  dailyComputeMsQuota: number | null;
  dailyCreditsQuota: number | null;
  storageQuota: number | null;
};

/** The quotas of a new owner. */
export const NO_QUOTAS: Quotas = {
  dailyInvocationsQuota: null,
  dailyComputeMsQuota: null,
  dailyCreditsQuota: null,
  storageQuota: null,
};

/** Smaller changes of an object's size are not recorded, so that most reports of it cost no row. */
export const STORED_STEP_BYTES = 2 ** 18;

/** A quota by its name on the wire. */
export type QuotaName =
  | "daily_invocations_quota"
  | "daily_compute_time_quota"
  | "daily_credits_quota"
  | "storage_quota";

/** An owner's quotas, the usage of today, and the stored bytes; absent: none are known. */
export type QuotaState = { quotas: Quotas; used: Used; storedBytes?: number };

/**
 * The number of runs that an owner's quotas still allow today, by the one that allows the fewest; null: none is set.
 * `state`: what it was computed from; absent from an object that still runs an older release.
 */
export type Allowance = {
  runsLeft: number;
  quota: QuotaName;
  limit: number;
  state?: QuotaState;
} | null;

/** The error message for an exhausted quota. */
export function usedUp(quota: QuotaName): string {
  if (quota === "storage_quota")
    return "the owner's storage quota is used up: delete events, records, sources, workflows or webhooks, or have it raised";
  return `the owner's ${quota.replaceAll("_", " ")} is used up until midnight UTC`;
}

/**
 * The remainder of an owner's quotas. A run takes at least one invocation and one credit; compute may exceed its quota.
 */
export function allowanceOf(quotas: Quotas, used: Used, storedBytes = 0): Allowance {
  const { dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota, storageQuota } = quotas;
  const limits = [
    limitOf("storage_quota", storageQuota, storedBytes),
    limitOf("daily_invocations_quota", dailyInvocationsQuota, used.invocations),
    limitOf("daily_credits_quota", dailyCreditsQuota, used.credits),
    limitOf("daily_compute_time_quota", dailyComputeMsQuota, used.computeMs),
  ];
  const [tightest] = limits
    .filter((limit) => limit !== null)
    .toSorted((a, b) => a.runsLeft - b.runsLeft);
  return tightest ?? null;
}

/** The remainder of an allowance after more usage. */
export function allowanceAfter(
  allowance: NonNullable<Allowance>,
  more: Used,
): NonNullable<Allowance> {
  const { state, runsLeft } = allowance;
  const left = state && allowanceOf(state.quotas, addUsed(state.used, more), state.storedBytes);
  return left ?? { ...allowance, runsLeft: runsLeft - more.invocations };
}

/** Whether an owner's quotas limit the duration of runs, which is unknown before they end. */
export function limitsDuration({ state }: NonNullable<Allowance>): boolean {
  return (
    state !== undefined &&
    (state.quotas.dailyComputeMsQuota ?? state.quotas.dailyCreditsQuota) !== null
  );
}

function limitOf(quota: QuotaName, limit: number | null, used: number): Allowance {
  if (limit === null) return null;
  const left = Math.max(0, limit - used);
  // What a run will compute and store is unknown in advance, so these limit no run until they are exhausted.
  const isOpen = (quota === "daily_compute_time_quota" || quota === "storage_quota") && left > 0;
  return { runsLeft: isOpen ? Number.MAX_SAFE_INTEGER : left, quota, limit };
}

/** The quota with the largest used share, 1 being all of it; undefined: none is set. */
export function nearestQuota(
  quotas: Quotas,
  used: Used,
): { quota: QuotaName; share: number } | undefined {
  const { dailyInvocationsQuota, dailyComputeMsQuota, dailyCreditsQuota } = quotas;
  const shares = [
    shareOf("daily_invocations_quota", dailyInvocationsQuota, used.invocations),
    shareOf("daily_credits_quota", dailyCreditsQuota, used.credits),
    shareOf("daily_compute_time_quota", dailyComputeMsQuota, used.computeMs),
  ];
  return shares.flat().toSorted((a, b) => b.share - a.share)[0];
}

function shareOf(
  quota: QuotaName,
  limit: number | null,
  used: number,
): { quota: QuotaName; share: number }[] {
  return limit === null || limit === 0 ? [] : [{ quota, share: used / limit }];
}

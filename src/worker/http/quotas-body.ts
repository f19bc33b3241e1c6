import { z } from "@hono/zod-openapi";

import type { Quotas } from "#domain/quotas.ts";

/** The limits of a user or a workspace per UTC day, and of stored bytes. */
export const QuotasBody = z
  .object({
    daily_invocations_quota: z.int(),
    daily_compute_time_quota: z.int(),
    daily_credits_quota: z.int(),
    storage_quota: z.int(),
  })
  .openapi("Quotas");

/** A quota that is not set, for clients that compare what is used with it. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A quota in a response. */
export function presentQuota(quota: number | null): number {
  return quota ?? UNLIMITED;
}

/** A quota in a request: 0, null and the one that is shown for it mean that there is none. */
export function quotaIn(given: number | null): number | null {
  return given === 0 || given === UNLIMITED ? null : given;
}

export function presentQuotas(set: Quotas): z.input<typeof QuotasBody> {
  return {
    daily_invocations_quota: presentQuota(set.dailyInvocationsQuota),
    daily_compute_time_quota: presentQuota(set.dailyComputeMsQuota),
    daily_credits_quota: presentQuota(set.dailyCreditsQuota),
    storage_quota: presentQuota(set.storageQuota),
  };
}

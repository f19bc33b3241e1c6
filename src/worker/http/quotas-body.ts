import { z } from "@hono/zod-openapi";

import type { Quotas } from "#domain/quotas.ts";

/** The limits of a user or a workspace per UTC day. */
export const QuotasBody = z
  .object({
    daily_invocations_quota: z.int(),
    daily_compute_time_quota: z.int(),
    daily_credits_quota: z.int(),
  })
  .openapi("Quotas");

/** Quotas that are not set are 0. */
export function presentQuotas(set: Quotas): z.input<typeof QuotasBody> {
  return {
    daily_invocations_quota: set.dailyInvocationsQuota ?? 0,
    daily_compute_time_quota: set.dailyComputeMsQuota ?? 0,
    daily_credits_quota: set.dailyCreditsQuota ?? 0,
  };
}

import { z } from "@hono/zod-openapi";

import type { AgentQuotas, AgentQuotasReport } from "#services/agents/quotas.ts";

import { params } from "./openapi.ts";

/** A mistyped quota would otherwise be no limit at all. */
const MAX_QUOTA = 1_000_000;

/** A whole number, or its text in a query string; null: the default. */
const Quota = z
  .preprocess(
    (value) => (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value),
    z
      .int("must be a whole number")
      .min(0, "must not be negative")
      .max(MAX_QUOTA, `must be at most ${MAX_QUOTA}`)
      .nullish(),
  )
  .openapi({ type: ["integer", "null"], minimum: 0, maximum: MAX_QUOTA });

const Change = z.object({
  subscriptions_quota: Quota,
  polls_quota: Quota,
  runs_quota: Quota,
});

/** The request that changes quotas of agents. */
export const agentQuotasChange = params(Change);

const Counts = z.object({ subscriptions: z.int(), polls: z.int(), runs: z.int() });

export const AgentQuotasBody = z
  .object({
    subscriptions_quota: z.int().nullable(),
    polls_quota: z.int().nullable(),
    runs_quota: z.int().nullable(),
    limits: Counts,
    used: Counts,
  })
  .openapi("AgentQuotas");

/** Absent quotas are unchanged. */
export function agentQuotasOf(given: z.output<typeof Change>): Partial<AgentQuotas> {
  return {
    ...(given.subscriptions_quota !== undefined && {
      subscriptionsQuota: given.subscriptions_quota,
    }),
    ...(given.polls_quota !== undefined && { pollsQuota: given.polls_quota }),
    ...(given.runs_quota !== undefined && { runsQuota: given.runs_quota }),
  };
}

export function presentAgentQuotas({
  subscriptionsQuota,
  pollsQuota,
  runsQuota,
  limits,
  used,
}: AgentQuotasReport): z.input<typeof AgentQuotasBody> {
  return {
    subscriptions_quota: subscriptionsQuota,
    polls_quota: pollsQuota,
    runs_quota: runsQuota,
    limits,
    used,
  };
}

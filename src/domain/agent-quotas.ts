/**
 * Quotas of the agents of an external user, or of a whole project: subscriptions that exist at a time, polls and runs
 * in ten seconds. Null: the default.
 */
export type AgentQuotas = {
  subscriptionsQuota: number | null;
  pollsQuota: number | null;
  runsQuota: number | null;
};

/** A use that has a quota. */
export type AgentUse = "polls" | "runs" | "subscriptions";

/** Numbers by use. */
export type UseCounts = Record<AgentUse, number>;

/** The holder of a quota. */
export type QuotaHolder = "owner" | "project";

/** The quotas of a new project or external user. */
export const NO_AGENT_QUOTAS: AgentQuotas = {
  subscriptionsQuota: null,
  pollsQuota: null,
  runsQuota: null,
};

/** The limits without quotas: of one owner, and of all external users of a project together. */
export const DEFAULT_LIMITS: Record<QuotaHolder, UseCounts> = {
  owner: { subscriptions: 100, polls: 100, runs: 100 },
  project: { subscriptions: 1000, polls: 1000, runs: 1000 },
};

/** The limits by the quotas of a holder. */
export function limitsOf(holder: QuotaHolder, quotas: AgentQuotas = NO_AGENT_QUOTAS): UseCounts {
  const defaults = DEFAULT_LIMITS[holder];
  return {
    subscriptions: quotas.subscriptionsQuota ?? defaults.subscriptions,
    polls: quotas.pollsQuota ?? defaults.polls,
    runs: quotas.runsQuota ?? defaults.runs,
  };
}

/** The lower of two limits for each use: those of an external user and of its project. */
export function lowerOf(one: UseCounts, other: UseCounts): UseCounts {
  return {
    subscriptions: Math.min(one.subscriptions, other.subscriptions),
    polls: Math.min(one.polls, other.polls),
    runs: Math.min(one.runs, other.runs),
  };
}

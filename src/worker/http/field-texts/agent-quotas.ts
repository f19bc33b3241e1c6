import type { FieldTable } from "./table.ts";

const CHANGES = {
  subscriptions_quota: "Subscriptions at a time; null: the default, absent: unchanged, 0: none",
  polls_quota: "Polls and streams in ten seconds; null: the default, absent: unchanged, 0: none",
  runs_quota:
    "Runs of actions and programs in ten seconds; null: the default, absent: unchanged, 0: none",
};

/** Quotas of agents, in the operator API and the Connect API. */
export const AGENT_QUOTA_TEXTS: FieldTable<string> = {
  AgentQuotas: {
    subscriptions_quota: "Quota of subscriptions at a time; null: the default",
    polls_quota: "Quota of polls and streams in ten seconds; null: the default",
    runs_quota: "Quota of runs of actions and programs in ten seconds; null: the default",
    limits:
      "The limits by these quotas: the defaults where there are none, of an external user those of its project where they are lower",
    "limits.subscriptions": "Maximum subscriptions at a time",
    "limits.polls": "Maximum polls and streams in ten seconds",
    "limits.runs": "Maximum runs in ten seconds",
    used: "The current use",
    "used.subscriptions": "Subscriptions; expired ones count until they are deleted",
    "used.polls": "Polls and streams in the current ten seconds, refused ones included",
    "used.runs": "Runs in the current ten seconds, refused ones included",
  },
  setProjectAgentQuotas: CHANGES,
  setExternalUserAgentQuotas: CHANGES,
};

/** Examples of quotas of agents. */
export const AGENT_QUOTA_EXAMPLES: FieldTable = {
  AgentQuotas: {
    subscriptions_quota: 20,
    polls_quota: 100,
    runs_quota: 50,
    "limits.subscriptions": 20,
    "limits.polls": 100,
    "limits.runs": 50,
    "used.subscriptions": 3,
    "used.polls": 1,
    "used.runs": 0,
  },
  setProjectAgentQuotas: { subscriptions_quota: 500, polls_quota: 100, runs_quota: 200 },
  setExternalUserAgentQuotas: { subscriptions_quota: 20, polls_quota: 100, runs_quota: 50 },
};

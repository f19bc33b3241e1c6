import { expect, test } from "vitest";

import { limitsOf, lowerOf, NO_AGENT_QUOTAS } from "#domain/agent-quotas.ts";

test("a quota replaces the default of its use, also with 0", () => {
  const quotas = { ...NO_AGENT_QUOTAS, pollsQuota: 0, runsQuota: 500 };
  expect(limitsOf("owner", quotas)).toEqual({ subscriptions: 100, polls: 0, runs: 500 });
  expect(limitsOf("project", quotas)).toEqual({ subscriptions: 1000, polls: 0, runs: 500 });
  expect(limitsOf("owner")).toEqual({ subscriptions: 100, polls: 100, runs: 100 });
});

test("the lower limit of each use is that of the project or of the external user", () => {
  const project = { subscriptions: 50, polls: 1000, runs: 7 };
  const user = { subscriptions: 100, polls: 100, runs: 8 };
  expect(lowerOf(user, project)).toEqual({ subscriptions: 50, polls: 100, runs: 7 });
});

// @suites release

import { beforeAll, expect, test } from "vitest";

import { AGENT_TASKS, TASKS_OF_USERS } from "../support/agent-tasks.ts";
import { signUp } from "../support/client.ts";
import { agentOf } from "../support/mcp.ts";
import { publishRealNames } from "../support/published-names.ts";
import { HANGS_AFTER_MS } from "../support/timeouts.ts";

beforeAll(() => publishRealNames(), HANGS_AFTER_MS);

test.for([
  ["of authors", AGENT_TASKS],
  ["of users", TASKS_OF_USERS],
] as const)(
  "of fifty tasks in words %s, the right action is among the first three in nine of ten",
  async ([, tasks]) => {
    const agent = agentOf((await signUp()).user.api_key);
    const missed: object[] = [];
    for (const [task, ...meant] of tasks) {
      const { structuredContent } = await agent.call("search", { query: task, limit: 3 });
      const found: { action: string }[] = structuredContent.untrusted_content.actions;
      const keys = found.map(({ action }) => action);
      if (!meant.some((key) => keys.includes(key))) missed.push({ task, keys });
    }
    expect(tasks).toHaveLength(50);
    expect(missed.slice(5)).toEqual([]);
  },
);

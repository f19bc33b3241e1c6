// @suites release

import { beforeAll, expect, test } from "vitest";

import { AGENT_TASKS, TASKS_OF_USERS } from "../support/agent-tasks.ts";
import { operator, signUp } from "../support/client.ts";
import { agentOf } from "../support/mcp.ts";
import { REAL_NAMES } from "../support/real-names.ts";

beforeAll(async () => {
  for (const { key, ...shown } of REAL_NAMES) {
    const [app = ""] = key.split("-");
    const component = { key, version: "0.0.1", props: { app: { type: "app", app } }, ...shown };
    const component_code = `export default { ...${JSON.stringify(component)}, run() {} }`;
    const { status } = await operator.post("/registry", { component_code });
    // Other tests publish the same ones.
    if (status !== 200 && status !== 409) throw new Error(`${key} was not published: ${status}`);
  }
}, 120_000);

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

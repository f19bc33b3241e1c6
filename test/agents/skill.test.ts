import { expect, inject, test } from "vitest";

import { signUp } from "../support/client.ts";

const [skill = ""] = Object.values(
  import.meta.glob("../../docs/agents-skill.md", {
    query: "?raw",
    import: "default",
    eager: true,
  }),
);

test("an agent writes, tests and deploys a polling source with the skill file alone", async () => {
  const ada = await signUp();
  let calls = 0;
  const call = async (method: string, path: string, body?: unknown) => {
    calls += 1;
    const answer = await ada.as(method)(path, body);
    expect([path, answer.status, answer.body?.error]).toEqual([path, 200, undefined]);
    return answer.body.data;
  };
  const [, component_code = ""] = /```js\n([^]*?)```/.exec(skill) ?? [];
  await call("GET", "/components/search?query=new%20order");
  const broken = component_code.replace("async run() {", "async run( {");
  const refused = await ada.post("/sources", { component_code: broken, name: "orders" });
  calls += 1;
  expect([refused.status, refused.body.error]).toEqual([
    422,
    expect.stringMatching(/component\.js:\d+:\d+: /),
  ]);
  const configured_props = { url: `${inject("httpServer")}/orders` };
  const { id } = await call("POST", "/sources", {
    component_code,
    name: "orders",
    configured_props,
  });
  for (const wait of [30, 30])
    expect(await call("POST", `/sources/${id}/run`, { wait })).toMatchObject({
      state: "finished",
      errors: [],
    });
  const events = await call("GET", `/sources/${id}/event_summaries?limit=10&expand=event`);
  const payloads = events.map(({ event }: { event: { id: number } }) => event.id);
  expect(payloads.toSorted()).toEqual([1, 2]);
  await call("GET", `/sources/${id}/$errors/event_summaries?expand=event`);
  const hook = await call("POST", "/webhooks", { url: `${inject("httpServer")}/json` });
  await call("POST", "/subscriptions", { emitter_id: id, listener_id: hook.id });
  await call("PUT", `/sources/${id}`, { active: false });
  expect(calls).toBeLessThanOrEqual(12);
});

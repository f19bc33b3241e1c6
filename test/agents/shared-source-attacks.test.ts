// @suites loader

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { newId } from "#domain/ids.ts";

import { appProp, newAgent } from "../support/agents.ts";
import { operator, signUp } from "../support/client.ts";
import { agentSourcesOf, savedSource, subscribing } from "../support/component-events.ts";
import { accountOf } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";
import { newKey, published } from "../support/registry.ts";
import { keyed, subscriber } from "../support/subscriptions.ts";
import { newReceiver } from "../support/webhook.ts";

/** What is left of an owner's subscriptions. */
async function leftOf(owner: string): Promise<number[]> {
  const rows = async (table: string) =>
    (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE owner_id = ?`)
      .bind(owner)
      .first<number>("n")) ?? 0;
  const tables = ["agent_sources", "agent_subscriptions", "sources", "webhooks", "subscriptions"];
  return Promise.all(tables.map(rows));
}

const NOTHING = [0, 0, 0, 0, 0];

const ownerOf = async (account: string) =>
  (await env.DB.prepare("SELECT owner_id AS id FROM accounts WHERE id = ?")
    .bind(account)
    .first<string>("id")) ?? "";

test("nobody shares a source with another user, project or external user", async () => {
  const key = newKey();
  const about = `key: "${key}", name: "Public", version: "1.0.0", type: "source"`;
  const code = `export default { ${about}, props: { http: "$.interface.http" }, run({ body }) { this.$emit(body); } };`;
  await published(operator, code);
  const [ada, bob, first, second] = [
    await signUp(),
    await signUp(),
    await newAgent("one"),
    await newAgent("one"),
  ];
  const headers = { ...first.headers, "x-pd-external-user-id": "two" };
  const neighbour = agentOf(first.customer.token, { headers });
  const agents = [
    agentOf(ada.user.api_key),
    agentOf(bob.user.api_key),
    first.agent,
    second.agent,
    neighbour,
  ];
  const owners = [
    ada.user.id,
    bob.user.id,
    await ownerOf(first.account),
    await ownerOf(second.account),
  ];
  const subscribed = [];
  for (const agent of agents) subscribed.push(await subscribing(agent, key));
  expect(subscribed.flatMap(({ answer }) => answer.error ?? [])).toEqual([]);
  for (const owner of owners) expect(await agentSourcesOf(owner)).toHaveLength(1);
  const [source] = await agentSourcesOf(ada.user.id);
  await source?.emit({ id: 1 });
  const [own, ...others] = subscribed;
  await expect.poll(() => own?.callback.messages()).toHaveLength(1);
  for (const { callback } of others) expect(await callback.messages()).toEqual([]);
  // Another project's token with the ids of the first one.
  const stolen = agentOf(second.customer.token, { headers: first.headers });
  const { status } = await stolen.send("events/subscribe", { name: key });
  expect(status).toBe(404);
});

test("a deployment with an account of somebody else is refused, and leaves nothing behind", async () => {
  const { agent, customer, account } = await newAgent();
  const owner = await ownerOf(account);
  const key = await savedSource(customer.ada, { props: appProp("github") });
  const others = await accountOf(customer, "two");
  for (const github of [others, { authProvisionId: others }]) {
    const { answer, callback } = await subscribing(agent, key, { github });
    expect(answer.error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^arguments\.github: there is no such account/),
    });
    expect(await callback.messages()).toEqual([]);
  }
  expect(await leftOf(owner)).toEqual(NOTHING);
});

test("a failed deployment names its hook and the reason, and leaves nothing behind", async () => {
  const ada = await signUp();
  const attempts = await newReceiver();
  const key = await savedSource(ada, {
    hooks: `async deploy() { await fetch("${attempts.url}", { method: "POST" }); throw new Error("no such project"); }`,
  });
  const agent = agentOf(ada.user.api_key);
  for (const tried of [1, 2]) {
    const { answer, callback } = await subscribing(agent, key);
    expect(answer.error).toMatchObject({
      message: expect.stringContaining("deploy hook failed: Error: no such project"),
      data: { code: "hook_failed", hook: "deploy" },
    });
    expect(await attempts.received()).toHaveLength(tried);
    expect(await callback.messages()).toEqual([]);
    expect(await leftOf(ada.user.id)).toEqual(NOTHING);
  }
  expect((await agent.send("events/poll", { name: key })).body.error.data.hook).toBe("deploy");
  expect(await leftOf(ada.user.id)).toEqual(NOTHING);
});

test.for<[string, object, string]>([
  ["a missing prop", {}, "arguments.size: is required"],
  ["a value of another type", { size: "large" }, "arguments.size:"],
  ["a prop that there is not", { size: 1, url: "x" }, "arguments.url: is not a prop"],
  ["a secret", { size: 1, token: "s3cret" }, "arguments.token: is a secret"],
  ["a filter that is no expression", { size: 1, filter: "event.id >" }, "arguments.filter:"],
  ["a filter of another type", { size: 1, filter: 5 }, "arguments.filter: must be a string"],
  ["too much", { size: 1, note: "x".repeat(64_000) }, "arguments: may have"],
])("%s is refused by its name, before the callback is challenged", async ([, given, text]) => {
  const ada = await signUp();
  const key = await savedSource(ada, {
    props: `size: "integer", note: { type: "string", optional: true }, token: { type: "string", secret: true, optional: true }`,
  });
  const { answer, callback } = await subscribing(agentOf(ada.user.api_key), key, given);
  expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining(text) });
  expect(await callback.received()).toEqual([]);
  expect(await leftOf(ada.user.id)).toEqual(NOTHING);
});

test("no source is deployed for a callback that returns no challenge", async () => {
  const ada = await signUp();
  const key = await savedSource(ada);
  const receiver = await newReceiver({ status: 204 });
  const { error } = await subscriber(agentOf(ada.user.api_key), key, receiver).subscribe();
  expect(error.code).toBe(-32027);
  expect(await leftOf(ada.user.id)).toEqual(NOTHING);
});

test("an action, an id of a component and an unknown key are no event types", async () => {
  const ada = await signUp();
  const key = await savedSource(ada);
  const { id } = (await ada.get(`/components/${key}`)).body.data;
  const agent = agentOf(ada.user.api_key);
  for (const name of [id, "nobody-knows", key.toUpperCase(), newId("source")]) {
    const { answer } = await subscribing(agent, name);
    const message = `name: there is no event type ${name}: events/list returns the names of event types`;
    const issues = [{ path: "name", message: message.slice("name: ".length) }];
    const unknown = { code: -32023, message, data: { code: "not_found", issues, kind: "event" } };
    expect(answer.error).toEqual(unknown);
    for (const method of ["events/poll", "events/stream"])
      expect((await agent.send(method, { name })).body.error).toEqual(unknown);
  }
});

test("the token of a narrowed key reaches components of its apps by its accounts alone", async () => {
  const { customer, account } = await newAgent();
  const other = await accountOf(customer, "one", { name: "Work" });
  const more = { project_id: customer.project, external_user_id: "one" };
  const scope = `read subscribe app:github account:${account}`;
  const { agent } = await keyed(customer.ada, scope, more);
  const github = await savedSource(customer.ada, { props: appProp("github") });
  const slack = await savedSource(customer.ada, { props: appProp("slack") });
  const greedy = await savedSource(customer.ada, {
    props: `mine: { type: "app", app: "github" }, theirs: { type: "app", app: "github", default: { authProvisionId: "${other}" } }`,
  });
  const dynamic = await savedSource(customer.ada, {
    props: `github: { type: "app", app: "github", reloadProps: true }`,
    more: `additionalProps() { return {}; },`,
  });
  const tried = async (name: string, given: object) =>
    agent.send("events/poll", { name, arguments: given });
  expect((await tried(github, {})).body.result.events).toEqual([]);
  expect((await tried(github, { github: other })).status).toBe(403);
  expect((await tried(slack, {})).status).toBe(403);
  const explicit = { mine: account, theirs: { authProvisionId: other } };
  expect((await tried(greedy, explicit)).status).toBe(403);
  const { error } = (await tried(dynamic, {})).body;
  expect(error).toMatchObject({ code: -32024, message: expect.stringContaining("depends on") });
  const sources = await agentSourcesOf(await ownerOf(account));
  expect(sources).toHaveLength(1);
  expect((await tried(sources[0]?.id ?? "", {})).body.error.code).toBe(-32024);
});

test("the content of an event chooses neither the props nor the account of its source", async () => {
  const { agent, customer, account } = await newAgent();
  const other = await accountOf(customer, "two");
  const key = await savedSource(customer.ada, { props: appProp("github") });
  const { callback } = await subscribing(agent, key);
  const owner = await ownerOf(account);
  const [source] = await agentSourcesOf(owner);
  const attack = {
    name: "other-component",
    arguments: { github: other },
    configured_props: { github: { authProvisionId: other } },
    delivery: { url: "https://attacker.example.com" },
  };
  await source?.emit(attack);
  await expect.poll(callback.messages).toHaveLength(1);
  expect((await callback.messages())[0]?.body).toMatchObject({ name: key, data: attack });
  const path = `/deployed-triggers/${source?.id}?external_user_id=one`;
  const { configured_props: props } = (await customer.server.get(path)).body.data;
  expect(props.github).toEqual({ authProvisionId: account });
  expect(await agentSourcesOf(owner)).toHaveLength(1);
});

// @suites release

import { expect, test } from "vitest";

import { endAgentSources } from "#services/agents/shared-sources/end.ts";
import { endAgentSubscriptions } from "#services/agents/subscriptions/sweep.ts";

import { appProp, newAgent } from "../support/agents.ts";
import { signUp } from "../support/client.ts";
import { later } from "../support/clock.ts";
import {
  agentSourcesOf,
  claimsOf,
  savedSource,
  sourcesOf,
  sweptIn,
} from "../support/component-events.ts";
import { accountOf } from "../support/connect.ts";
import { agentOf } from "../support/mcp.ts";
import { keyed, subscriber } from "../support/subscriptions.ts";
import { platformIn } from "../support/sweeping.ts";
import { newCallback } from "../support/webhook.ts";

/** A user with a source that nobody has deployed, and an agent of the user's. */
async function newShop(component: Parameters<typeof savedSource>[1] = {}) {
  const ada = await signUp();
  const { agent, id: grant } = await keyed(ada);
  const key = await savedSource(ada, component);
  const callback = await newCallback();
  const owner = ada.user.id as string;
  const sources = () => agentSourcesOf(owner);
  return { ada, agent, grant, key, callback, owner, sources, ...subscriber(agent, key, callback) };
}

const props = (size: number) => ({ arguments: { size } });

test("a subscription to a component deploys a source of it, whose events come under the component's key", async () => {
  const { key, callback, subscribe, sources } = await newShop({ props: `size: "integer"` });
  const { result } = await subscribe({ arguments: { size: 1, filter: "event.id > 1" } });
  expect(result).toMatchObject({ id: expect.stringMatching(/^ags_/), truncated: false });
  const [source, ...others] = await sources();
  expect(others).toEqual([]);
  await source?.emit({ id: 1 }, { id: 2 });
  await expect.poll(callback.messages).toHaveLength(1);
  const [message] = await callback.messages();
  expect(message?.body).toMatchObject({ name: key, data: { id: 2 } });
});

test("other props mean another source; the order of fields, defaults and filters do not", async () => {
  const more = `size: "integer", list: { type: "object", optional: true }, color: { type: "string", default: "red" }`;
  const { agent, key, sources } = await newShop({ props: more });
  const subscribed = async (given: object) => {
    const { subscribe } = subscriber(agent, key, await newCallback());
    expect((await subscribe({ arguments: given })).error).toBeUndefined();
    return (await sources()).length;
  };
  expect(await subscribed({ size: 1, list: { a: 1, b: 2 } })).toBe(1);
  expect(await subscribed({ list: { b: 2, a: 1 }, color: "red", size: 1 })).toBe(1);
  expect(await subscribed({ size: 1, list: { a: 1, b: 2 }, filter: "event.id > 1" })).toBe(1);
  expect(await subscribed({ size: 2, list: { a: 1, b: 2 } })).toBe(2);
  expect(await subscribed({ size: 2, list: { a: 1, b: 2 }, color: "blue" })).toBe(3);
});

test("another account means another source, and the only one of the user is the usual one", async () => {
  const { agent, customer, account } = await newAgent();
  const key = await savedSource(customer.ada, { props: appProp("github") });
  const subscribed = async (given: object) => {
    const { subscribe } = subscriber(agent, key, await newCallback());
    return subscribe({ arguments: given });
  };
  expect((await subscribed({})).result.truncated).toBe(false);
  expect((await subscribed({ github: account })).error).toBeUndefined();
  const second = await accountOf(customer, "one", { name: "Work" });
  expect((await subscribed({ github: second })).error).toBeUndefined();
  const { data } = (await customer.server.get("/deployed-triggers?external_user_id=one")).body;
  expect(data).toHaveLength(2);
  const { error } = await subscribed({});
  expect(error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/arguments\.github/),
  });
});

test("the last unsubscription ends the source, and not one before", async () => {
  const { ada, agent, key, owner, sources, ...first } = await newShop();
  const second = subscriber(agent, key, await newCallback());
  await first.subscribe();
  await second.subscribe();
  const [source] = await sources();
  await first.unsubscribe();
  expect((await sources()).map(({ id }) => id)).toEqual([source?.id]);
  await second.unsubscribe();
  expect([await sourcesOf(owner), await claimsOf(owner)]).toEqual([0, 0]);
  expect((await ada.get(`/sources/${source?.id}`)).status).toBe(404);
  expect((await ada.get("/users/me/webhooks")).body.data).toEqual([]);
});

test("the expiry of the last subscription ends the source, and a renewal after it keeps it", async () => {
  const { owner, sources, subscribe } = await newShop();
  await subscribe({ ttlMs: 1 });
  const [source] = await sources();
  await later(2100, () => subscribe({ ttlMs: 1 }));
  expect((await sources()).map(({ id }) => id)).toEqual([source?.id]);
  await endAgentSubscriptions(platformIn(10));
  expect([await sourcesOf(owner), await claimsOf(owner)]).toEqual([0, 0]);
});

test("a revoked key ends the source that it alone subscribed to", async () => {
  const { ada, grant, owner, subscribe } = await newShop();
  await subscribe();
  expect((await ada.delete(`/agent_keys/${grant}`)).status).toBe(204);
  const left = async () => [await sourcesOf(owner), await claimsOf(owner)];
  await expect.poll(left).toEqual([0, 0]);
});

test("a source that a user deployed is neither shared nor ended", async () => {
  const { ada, agent, key, callback, sources, ...own } = await newShop();
  const { data } = (await ada.post("/sources", { key })).body;
  await own.subscribe();
  expect((await sources()).map(({ id }) => id)).not.toContain(data.id);
  await own.unsubscribe();
  const direct = subscriber(agent, data.id, callback);
  await direct.subscribe();
  await direct.unsubscribe();
  expect((await ada.get(`/sources/${data.id}`)).status).toBe(200);
  expect(await sources()).toEqual([]);
});

test("a webhook that its user deletes leaves no source behind", async () => {
  const { ada, owner, subscribe } = await newShop();
  await subscribe();
  const [webhook] = (await ada.get("/users/me/webhooks")).body.data;
  await ada.delete(`/webhooks/${webhook.id}`);
  await sweptIn(10);
  expect(await sourcesOf(owner)).toBe(1);
  await sweptIn(120);
  expect([await sourcesOf(owner), await claimsOf(owner)]).toEqual([0, 0]);
});

test("who deletes the source ends the subscriptions, and the next one deploys another", async () => {
  const { ada, callback, sources, subscribe } = await newShop();
  await subscribe();
  const [source] = await sources();
  await ada.delete(`/sources/${source?.id}`);
  await sweptIn(120);
  await expect.poll(callback.messages).toHaveLength(1);
  const [{ body } = { body: {} }] = await callback.messages();
  expect(body).toMatchObject({ type: "terminated", error: { code: -32023 } });
  expect((await subscribe()).error).toBeUndefined();
  const [next] = await sources();
  expect(next?.id).not.toBe(source?.id);
});

test("nobody changes a source that agents share", async () => {
  const { ada, sources, subscribe } = await newShop();
  await subscribe();
  const [source] = await sources();
  for (const change of [{ active: false }, { name: "mine" }, { configured_props: {} }]) {
    const { status, body } = await ada.put(`/sources/${source?.id}`, change);
    expect([status, body.error]).toEqual([409, expect.stringContaining("deployed for agents")]);
  }
});

test("polls deploy a source, share it with subscriptions, and keep it for an hour at least", async () => {
  const { agent, key, owner, sources, ...own } = await newShop({ props: `size: "integer"` });
  const poll = async (more: object = {}) =>
    (await agent.send("events/poll", { name: key, ...props(1), ...more })).body.result;
  const { cursor, ...first } = await poll();
  expect(first).toMatchObject({ events: [], truncated: false });
  expect(await poll({ cursor })).toMatchObject({ events: [], truncated: false });
  await own.subscribe(props(1));
  const [source, ...others] = await sources();
  expect(others).toEqual([]);
  await source?.emit({ id: 1 });
  const second = await poll({ cursor });
  expect(second).toMatchObject({ events: [{ name: key, data: { id: 1 } }], truncated: false });
  await own.unsubscribe(props(1));
  await sweptIn(3600);
  expect(await sourcesOf(owner)).toBe(1);
  await sweptIn(7300);
  expect([await sourcesOf(owner), await claimsOf(owner)]).toEqual([0, 0]);
  const third = await later(1100, () => poll({ cursor: second.cursor }));
  expect(third).toMatchObject({ events: [], truncated: true });
});

test("a subscription that resumes after its source had ended is truncated, and gets new events", async () => {
  const { callback, sources, subscribe, unsubscribe } = await newShop();
  const { result } = await subscribe();
  expect((await subscribe({ cursor: result.cursor })).result.truncated).toBe(false);
  await unsubscribe();
  const resumed = await later(1100, () => subscribe({ cursor: result.cursor }));
  expect(resumed.result.truncated).toBe(true);
  const [source] = await sources();
  await source?.emit({ id: 2 });
  await expect.poll(callback.messages).toHaveLength(1);
});

test("events of the deploy hook, which are older than the subscription, are left out", async () => {
  const { agent, key, callback, sources, subscribe } = await newShop({
    hooks: `deploy() { this.$emit({ id: "old" }); }`,
  });
  const { cursor } = (await agent.send("events/poll", { name: key })).body.result;
  await subscribe({ cursor });
  await (await sources())[0]?.emit({ id: "new" });
  await expect.poll(callback.messages).toHaveLength(1);
  expect((await callback.messages())[0]?.body.data).toEqual({ id: "new" });
});

test("a component with a prop of the name filter gets it as any other prop", async () => {
  const { agent, key, ada, callback, sources, subscribe } = await newShop({
    props: `filter: "string"`,
  });
  expect((await subscribe({ arguments: { filter: "open orders" } })).error).toBeUndefined();
  const [source] = await sources();
  const { data } = (await ada.get(`/sources/${source?.id}`)).body;
  expect(data.configured_props.filter).toBe("open orders");
  await source?.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  const { error } = (await agent.send("events/poll", { name: key })).body;
  expect(error.message).toContain("arguments.filter: is required");
});

test("an agent without a key of its own shares with the agents of the same user", async () => {
  const { ada, key, sources, subscribe } = await newShop();
  await subscribe();
  const other = subscriber(agentOf(ada.user.api_key), key, await newCallback());
  await other.subscribe();
  expect(await sources()).toHaveLength(1);
  await endAgentSources(platformIn(120));
  expect(await sources()).toHaveLength(1);
});

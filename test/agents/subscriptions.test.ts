// @suites loader

import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import { newSigningSecret } from "#domain/signature.ts";
import { endAgentSubscriptions } from "#services/agents/subscriptions/sweep.ts";

import { workspaceOf } from "../support/client.ts";
import { ordersOf } from "../support/events.ts";
import { keyed, newSubscriber, subscriber, webhookOf } from "../support/subscriptions.ts";
import { platformIn } from "../support/sweeping.ts";
import { failingForFiveDays, newCallback, passTime, statesOf } from "../support/webhook.ts";

const dataOf = (messages: { body: { data: unknown } }[]) => messages.map(({ body }) => body.data);

test("a verified callback receives each event, signed with the agent's secret", async () => {
  const { orders, callback, subscribe, secret } = await newSubscriber();
  await orders.emit({ id: "before" });
  const { result } = await subscribe();
  expect(result).toMatchObject({
    id: expect.stringMatching(/^ags_[0-9a-f]{32}$/),
    refreshBefore: expect.stringMatching(/^\d{4}-.*Z$/),
    cursor: expect.any(String),
    truncated: false,
  });
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  await orders.emit("plain");
  await expect.poll(callback.messages).toHaveLength(2);
  const [first, second] = await callback.messages();
  expect(first?.body).toEqual({
    eventId: first?.headers["webhook-id"],
    name: orders.id,
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { id: 1 },
    cursor: expect.any(String),
  });
  expect(second?.body.data).toEqual({ value: "plain" });
  for (const { headers, body } of await callback.received()) {
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "x-mcp-subscription-id": result.id,
    });
    new Webhook(secret).verify(body, headers);
  }
  expect(await callback.challenges()).toHaveLength(1);
});

test("a repeated subscribe refreshes the same subscription, without another challenge", async () => {
  const { ada, orders, callback, subscribe } = await newSubscriber();
  const { result: first } = await subscribe({ ttlMs: 60_000 });
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  const webhook = env.WEBHOOKS.getByName(await webhookOf(ada));
  await expect.poll(() => statesOf(webhook)).toEqual(["delivered"]);
  const { result: second } = await subscribe({ ttlMs: 3_600_000, cursor: first.cursor });
  expect(second.id).toBe(first.id);
  const longer = Date.parse(second.refreshBefore) - Date.parse(first.refreshBefore);
  expect(longer).toBeGreaterThan(3_000_000);
  const [{ body } = { body: {} }] = await callback.messages();
  expect(second).toMatchObject({
    cursor: body.cursor,
    truncated: false,
    deliveryStatus: { active: true, lastDeliveryAt: expect.any(String), lastError: null },
  });
  await orders.emit({ id: 2 });
  await expect.poll(callback.messages).toHaveLength(2);
  expect(await callback.challenges()).toHaveLength(1);
});

test("a subscription resumes from a cursor, and skips the events that its filter excludes", async () => {
  const { orders, agent, callback, subscribe } = await newSubscriber();
  const { body } = await agent.send("events/poll", { name: orders.id });
  await orders.emit({ id: 1 }, { id: 2 }, { id: 3 });
  const args = { arguments: { filter: "event.id > 1" } };
  const { result } = await subscribe({ ...args, cursor: body.result.cursor });
  expect(result.truncated).toBe(false);
  await orders.emit({ id: 0 }, { id: 4 });
  await expect.poll(callback.messages).toHaveLength(3);
  // They are sent side by side.
  const data = dataOf(await callback.messages());
  expect(data).toEqual(expect.arrayContaining([{ id: 2 }, { id: 3 }, { id: 4 }]));
});

test("the cursors of a subscription that an earlier release set up are read", async () => {
  const { ada, orders, agent, callback, subscribe, secret } = await newSubscriber();
  const { result } = await subscribe();
  const delivery = {
    subscriptionId: result.id,
    name: orders.id,
    expiresAtMs: Date.parse(result.refreshBefore),
  };
  const id = await webhookOf(ada);
  const settings = { id, url: callback.url, active: true, agent: delivery };
  await env.WEBHOOKS.getByName(id).serve(settings, secret);
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  const [{ body } = { body: {} }] = await callback.messages();
  await orders.emit({ id: 2 });
  const polled = await agent.send("events/poll", { name: orders.id, cursor: body.cursor });
  expect(dataOf(polled.body.result.events.map((event: object) => ({ body: event })))).toEqual([
    { id: 2 },
  ]);
});

test("subscribe reports events after the cursor that are deleted or too old", async () => {
  const { orders, agent, callback, subscribe } = await newSubscriber();
  const { cursor } = (await agent.send("events/poll", { name: orders.id })).body.result;
  await orders.emit(...Array.from({ length: 101 }, (_, id) => ({ id })));
  const { result } = await subscribe({ cursor });
  expect(result.truncated).toBe(true);
  // The deleted event arrives too if the queue was late.
  const newest = Array.from({ length: 100 }, (_, place) => ({ id: place + 1 }));
  const received = async () => (await callback.messages()).map(({ body }) => body.data);
  await expect.poll(received).toEqual(expect.arrayContaining(newest));
  const other = subscriber(agent, orders.id, await newCallback());
  expect((await other.subscribe({ cursor, maxAgeMs: 0 })).result.truncated).toBe(true);
});

test("the cursor of an event stays before the undelivered ones", async () => {
  const fails = { status: 500 };
  const { ada, orders, agent, callback, subscribe } = await newSubscriber(fails, { status: 204 });
  const { result: begun } = await subscribe();
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  await orders.emit({ id: 2 });
  await expect.poll(callback.messages).toHaveLength(2);
  const [, second] = await callback.messages();
  const after = { name: orders.id, cursor: second?.body.cursor };
  const { events } = (await agent.send("events/poll", after)).body.result;
  expect(events.map(({ data }: { data: unknown }) => data)).toEqual([{ id: 1 }, { id: 2 }]);
  const webhook = env.WEBHOOKS.getByName(await webhookOf(ada));
  await expect.poll(async () => (await statesOf(webhook))[0]).toBe("delivered");
  const { result } = await subscribe({ cursor: begun.cursor });
  expect(result.deliveryStatus).toMatchObject({ active: true, lastError: null });
  expect(result.cursor).toBe(second?.body.cursor);
});

test("an event that is too large for a callback is a gap", async () => {
  const { orders, callback, subscribe } = await newSubscriber();
  await subscribe();
  await orders.emit({ id: 1, text: "x".repeat(256 * 1024) });
  await orders.emit({ id: 2 });
  await expect.poll(callback.messages).toHaveLength(2);
  const bodies = (await callback.messages()).map(({ body }) => body);
  const gap = bodies.find(({ type }) => type === "gap");
  expect(gap).toEqual({ type: "gap", cursor: expect.any(String) });
  expect(bodies.find(({ type }) => type === undefined)?.data).toEqual({ id: 2 });
});

test.for([410, 413])(
  "an event that a callback rejects with %d is not resent, and others are sent",
  async (status) => {
    const { ada, orders, callback, subscribe } = await newSubscriber({ status }, { status: 204 });
    await subscribe();
    await orders.emit({ id: 1 });
    const webhook = env.WEBHOOKS.getByName(await webhookOf(ada));
    await expect.poll(() => statesOf(webhook)).toEqual(["dead"]);
    expect(await webhook.status()).toEqual({ active: true, failingSinceMs: null, reason: null });
    await orders.emit({ id: 2 });
    await expect.poll(callback.messages).toHaveLength(2);
    expect(dataOf(await callback.messages())).toEqual([{ id: 1 }, { id: 2 }]);
    await expect.poll(() => statesOf(webhook)).toEqual(["delivered", "dead"]);
    const { result } = await subscribe();
    expect(result.deliveryStatus).toMatchObject({ active: true, lastError: null });
  },
);

test("a suspended callback receives nothing until the agent refreshes, and then the missed events", async () => {
  const { ada, orders, callback, subscribe } = await newSubscriber(
    { status: 404 },
    { status: 404 },
    { status: 204 },
  );
  const { result: begun } = await subscribe();
  const webhook = env.WEBHOOKS.getByName(await webhookOf(ada));
  await orders.emit({ id: 1 });
  await expect.poll(async () => (await webhook.status()).failingSinceMs).not.toBeNull();
  await failingForFiveDays(webhook);
  await orders.emit({ id: 2 });
  await expect.poll(async () => (await webhook.status()).active).toBe(false);
  await orders.emit({ id: 3 });
  const { result } = await subscribe({ cursor: begun.cursor });
  expect(result.deliveryStatus).toMatchObject({ active: false, lastError: "http_4xx" });
  await expect.poll(callback.messages).toHaveLength(5);
  const ids = (await callback.messages()).map(({ body }) => body.data.id as number);
  expect(ids.toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2, 3]);
  const { body } = await ada.get(`/webhooks/${await webhookOf(ada)}`);
  expect(body.data.active).toBe(true);
});

test("a failed delivery is retried like those of other webhooks", async () => {
  const { ada, orders, callback, subscribe } = await newSubscriber(
    { status: 503 },
    { status: 204 },
  );
  await subscribe();
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  await passTime(env.WEBHOOKS.getByName(await webhookOf(ada)));
  await expect.poll(callback.messages).toHaveLength(2);
  const ids = (await callback.messages()).map(({ headers }) => headers["webhook-id"]);
  expect(new Set(ids).size).toBe(1);
});

test("an ended subscription sends nothing, and leaves no rows", async () => {
  const { ada, orders, callback, subscribe, unsubscribe } = await newSubscriber();
  const { result } = await subscribe();
  const webhook = await webhookOf(ada);
  expect((await unsubscribe()).result).toMatchObject({});
  await orders.emit({ id: 1 });
  expect((await unsubscribe()).error.code).toBe(-32023);
  expect((await ada.get("/users/me/subscriptions")).body.data).toEqual([]);
  expect((await ada.get(`/webhooks/${webhook}`)).status).toBe(404);
  expect(await env.WEBHOOKS.getByName(webhook).secrets()).toEqual([]);
  expect(await callback.messages()).toEqual([]);
  expect((await subscribe()).result.id).toBe(result.id);
});

test("a new secret replaces the old one, which also signs for a while", async () => {
  const { orders, callback, subscribe, secret } = await newSubscriber();
  await subscribe();
  const renewed = newSigningSecret();
  expect((await subscribe({}, { secret: renewed })).result.truncated).toBe(false);
  expect(await callback.challenges()).toHaveLength(2);
  await orders.emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
  const received = (await callback.received()).at(-1);
  for (const either of [secret, renewed])
    new Webhook(either).verify(received?.body ?? "", received?.headers ?? {});
});

test("a webhook of an agent keeps its URL and its secret, and can be deleted", async () => {
  const { ada, subscribe, unsubscribe } = await newSubscriber();
  await subscribe();
  const webhook = await webhookOf(ada);
  const moved = await ada.put(`/webhooks/${webhook}`, { url: "http://127.0.0.1:1/other" });
  expect(moved).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect((await ada.post(`/webhooks/${webhook}/rotate_secret`)).status).toBe(409);
  expect((await ada.delete(`/webhooks/${webhook}`)).status).toBe(204);
  expect((await unsubscribe()).error.code).toBe(-32023);
});

test("a callback is notified of its source's deletion", async () => {
  const { ada, orders, callback, subscribe } = await newSubscriber();
  await subscribe();
  await ada.delete(`/sources/${orders.id}`);
  await env.DB.prepare("DELETE FROM walks WHERE name = 'agent_subscriptions'").run();
  await endAgentSubscriptions(platformIn(0));
  await expect.poll(callback.messages).toHaveLength(1);
  const [{ body } = { body: {} }] = await callback.messages();
  expect(body).toMatchObject({
    type: "terminated",
    error: { code: -32023, data: { kind: "event" } },
  });
  expect((await ada.get("/users/me/webhooks")).body.data).toEqual([]);
});

test("an agent of a workspace subscribes to the workspace's sources", async () => {
  const { ada, agent, callback } = await newSubscriber();
  const workspace = await workspaceOf(ada);
  const { id, emit } = await ordersOf(ada, `?workspace_id=${workspace}`);
  expect((await subscriber(agent, id, callback).subscribe()).error.code).toBe(-32023);
  const { agent: robot } = await keyed(ada, "subscribe", { workspace_id: workspace });
  const own = subscriber(robot, id, callback);
  expect((await own.subscribe()).result.truncated).toBe(false);
  await emit({ id: 1 });
  await expect.poll(callback.messages).toHaveLength(1);
});

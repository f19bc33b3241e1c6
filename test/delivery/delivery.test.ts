import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { Webhook } from "standardwebhooks";
import { expect, test } from "vitest";

import type { Id } from "#domain/ids.ts";

import { signUp, workspaceOf } from "../support/client.ts";
import { later } from "../support/clock.ts";
import { sendJson } from "../support/deploy.ts";
import { pendingWork, undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

const HOUR_MS = 3600_000;

type Client = Awaited<ReturnType<typeof signUp>>;

/** Emits its request's value on the named channel; throws and logs if the request has `fail` or `log`. */
const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run(event) {
    const { say = event, name, log, fail, delivery_ts } = event.body ?? {};
    if (log) console.log(log);
    if (fail) throw new Error(fail);
    this.$emit(say, { name, delivery_ts });
  } }`;

/** Emits each event inside another. */
const LISTENER = `export default { name: "Listener", version: "1", run(event) { this.$emit({ received: event }) } }`;

/** Emits the same for every request. */
const BELL = `export default { name: "Bell", version: "1", props: { http: "$.interface.http" },
  run() { this.$emit("ring") } }`;

async function deploy(client: Client, code: string, more: object = {}) {
  const { body } = await client.post("/sources", { component_code: code, ...more });
  return {
    id: body.data.id as Id<"source">,
    url: body.data.configured_props["http"]?.endpoint_url as string,
  };
}

async function webhook(client: Client) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url });
  const bodies = async () => (await receiver.received()).map((one) => JSON.parse(one.body));
  return {
    ...receiver,
    id: body.data.id as string,
    secret: body.data.signing_secret as string,
    bodies,
  };
}

const subscribe = (client: Client, emitter_id: string, listener_id: string, event_name?: string) =>
  client.post("/subscriptions", { emitter_id, listener_id, event_name });

async function receivedBy(client: Client, id: string) {
  const { body } = await client.get(`/sources/${id}/event_summaries?expand=event`);
  return body.data.map(({ event }: { event: unknown }) => event);
}

const pending = (id: string) => pendingWork(env.SOURCES.getByName(id));

test("a subscribed webhook receives a signed event", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  await subscribe(ada, source.id, hook.id);
  await sendJson(source.url, { say: { n: 1 } });
  await expect.poll(hook.bodies).toEqual([{ n: 1 }]);
  const [received] = await hook.received();
  if (!received) throw new Error("nothing was received");
  expect(new Webhook(hook.secret).verify(received.body, received.headers)).toEqual({ n: 1 });
  expect(received.headers).toMatchObject({
    "x-wellspring-emitter-id": source.id,
    "x-wellspring-event-name": "",
  });
  await expect.poll(() => pending(source.id)).toBe(0);
});

test("a subscribed source runs on the emitted value itself, and its emits are delivered in turn", async () => {
  const ada = await signUp();
  const first = await deploy(ada, RELAY);
  const [second, third] = [await deploy(ada, LISTENER), await deploy(ada, LISTENER)];
  await subscribe(ada, first.id, second.id);
  await subscribe(ada, second.id, third.id);
  await sendJson(first.url, { say: "hello" });
  await expect.poll(() => receivedBy(ada, third.id)).toEqual([{ received: { received: "hello" } }]);
});

test("a listener receives only events of its own channel", async () => {
  const ada = await signUp();
  const source = await deploy(ada, RELAY);
  const [orders, rest, errors, logs] = [
    await webhook(ada),
    await webhook(ada),
    await webhook(ada),
    await webhook(ada),
  ];
  await subscribe(ada, source.id, orders.id, "orders");
  await subscribe(ada, source.id, rest.id);
  await subscribe(ada, source.id, errors.id, "$errors");
  await subscribe(ada, source.id, logs.id, "$logs");
  await sendJson(source.url, { say: 1, name: "orders" });
  await sendJson(source.url, { say: 2 });
  await sendJson(source.url, { fail: "broken", log: "seen" });
  await expect.poll(orders.bodies).toEqual([1]);
  await expect.poll(rest.bodies).toEqual([2]);
  await expect.poll(errors.bodies).toMatchObject([{ error: { message: "broken" } }]);
  await expect.poll(logs.bodies).toMatchObject([
    { level: "info", message: "seen", run_id: expect.any(String), ts: expect.any(Number) },
    { level: "error", message: expect.stringMatching(/^Error: broken/) },
  ]);
});

test("a glob matches later sources of its owner, and none of other owners", async () => {
  const [ada, eve] = [await signUp(), await signUp()];
  const hook = await webhook(ada);
  await subscribe(ada, "dc_*", hook.id);
  const [own, other] = [await deploy(ada, RELAY), await deploy(eve, RELAY)];
  await sendJson(other.url, { say: "eve's" });
  await sendJson(own.url, { say: "ada's" });
  await expect.poll(hook.bodies).toEqual(["ada's"]);
});

test("several subscriptions of one pair deliver an event once", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  await subscribe(ada, source.id, hook.id);
  await subscribe(ada, "dc_*", hook.id);
  await sendJson(source.url, { say: 1 });
  await sendJson(source.url, { say: 2 });
  await expect.poll(async () => (await hook.bodies()).toSorted((a, b) => a - b)).toEqual([1, 2]);
});

test("a listener of an owner receives all of the owner's errors", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  await subscribe(ada, ada.user.id, hook.id, "$errors");
  await sendJson(source.url, { fail: "broken" });
  await expect.poll(hook.bodies).toMatchObject([{ error: { message: "broken" } }]);
});

test("an auto-subscription matches later emitters, and no earlier ones", async () => {
  const ada = await signUp();
  const [before, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  const { body } = await ada.post("/auto_subscriptions", {
    event_name: "$errors",
    listener_id: hook.id,
  });
  expect(body.data).toMatchObject({ event_name: "$errors", listener_id: hook.id });
  const after = await deploy(ada, RELAY);
  await sendJson(before.url, { fail: "before" });
  await sendJson(after.url, { fail: "after" });
  await expect.poll(hook.bodies).toMatchObject([{ error: { message: "after" } }]);
  await expect.poll(() => pending(before.id)).toBe(0);
  expect((await hook.bodies()).length).toBe(1);
});

test("two sources that are subscribed to each other stop at the hop limit, with an error", async () => {
  const ada = await signUp();
  const [ping, pong] = [await deploy(ada, RELAY), await deploy(ada, LISTENER)];
  await subscribe(ada, ping.id, pong.id);
  await subscribe(ada, pong.id, ping.id);
  await sendJson(ping.url, { say: "go" });
  const errors = async () => {
    const all = await Promise.all(
      [ping, pong].map(({ id }) => ada.get(`/sources/${id}/$errors/event_summaries?expand=event`)),
    );
    return all.flatMap(({ body }) =>
      body.data.map((one: { event: { error: { code: string } } }) => one.event.error.code),
    );
  };
  await expect.poll(errors).toEqual(["TooManyHops"]);
  const total = (await receivedBy(ada, ping.id)).length + (await receivedBy(ada, pong.id)).length;
  expect(total).toBe(16);
});

test("a source may listen to itself on a custom channel", async () => {
  const ada = await signUp();
  const source = await deploy(ada, RELAY);
  expect(await subscribe(ada, source.id, source.id)).toMatchObject({ status: 400 });
  expect(await subscribe(ada, source.id, source.id, "next")).toMatchObject({ status: 200 });
  await sendJson(source.url, { say: { body: { say: "again" } }, name: "next" });
  await expect
    .poll(() => receivedBy(ada, source.id))
    .toEqual(["again", { body: { say: "again" } }]);
});

test("a delayed event is delivered once, when it is due", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  await subscribe(ada, source.id, hook.id);
  const stub = env.SOURCES.getByName(source.id);
  await sendJson(source.url, { say: "later", delivery_ts: Date.now() + HOUR_MS });
  await expect.poll(() => pendingWork(stub)).toBe(0);
  await later(HOUR_MS - 60_000, () => runDurableObjectAlarm(stub));
  expect(await undeliveredEvents(stub)).toBe(0);
  expect(await hook.bodies()).toEqual([]);
  for (let n = 0; n < 2; n += 1) await later(HOUR_MS, () => runDurableObjectAlarm(stub));
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  await expect.poll(hook.bodies).toEqual(["later"]);
});

test("no event is delivered after its subscription, webhook or source was deleted", async () => {
  const ada = await signUp();
  const source = await deploy(ada, RELAY);
  const [first, second, listener] = [
    await webhook(ada),
    await webhook(ada),
    await deploy(ada, LISTENER),
  ];
  for (const { id } of [first, second, listener]) await subscribe(ada, source.id, id);
  expect(
    await ada.delete(`/subscriptions?emitter_id=${source.id}&listener_id=${first.id}&event_name=`),
  ).toMatchObject({ status: 204 });
  expect(await ada.delete(`/webhooks/${second.id}`)).toMatchObject({ status: 204 });
  expect(await ada.delete(`/sources/${listener.id}`)).toMatchObject({ status: 204 });
  await sendJson(source.url, { say: 1 });
  await expect.poll(() => pending(source.id)).toBe(0);
  expect(await first.bodies()).toEqual([]);
  expect(await second.bodies()).toEqual([]);
  expect((await ada.get("/users/me/subscriptions")).body.data).toEqual([]);
  const { results } = await env.DB.prepare("SELECT 1 FROM subscriptions WHERE owner_id = ?")
    .bind(ada.user.id)
    .all();
  expect(results).toEqual([]);
});

test("a workspace's glob matches the workspace's sources", async () => {
  const ada = await signUp();
  const workspace = await workspaceOf(ada);
  const hook = await webhook(ada);
  await ada.post("/subscriptions", { emitter_id: "dc_*", listener_id: hook.id, org_id: workspace });
  const [own, shared] = [await deploy(ada, RELAY), await deploy(ada, RELAY, { org_id: workspace })];
  await sendJson(own.url, { say: "own" });
  await sendJson(shared.url, { say: "shared" });
  await expect.poll(hook.bodies).toEqual(["shared"]);
  const { body } = await ada.get(`/orgs/${workspace}/subscriptions`);
  expect(body.data).toMatchObject([{ emitter_id: "dc_*", listener_id: hook.id, event_name: "" }]);
});

test("a webhook that delivers to its own emitter stops at the hop limit", async () => {
  const ada = await signUp();
  const { id, url } = await deploy(ada, BELL);
  const { body } = await ada.post("/webhooks", { url });
  const listener = body.data.id as Id<"webhook">;
  await subscribe(ada, id, listener);
  await sendJson(url, {});
  const last = async () => {
    const { body: page } = await ada.get(`/webhooks/${listener}/deliveries?limit=1`);
    return page.data[0];
  };
  await expect.poll(last).toMatchObject({ state: "failed", attempts: [{ status: 508 }] });
  const { body: summaries } = await ada.get(`/sources/${id}/event_summaries?limit=100`);
  expect(summaries.data).toHaveLength(16);
});

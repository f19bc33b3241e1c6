import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { signUp } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { pendingWork } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";
import { code, deployWorkflow, runsOf } from "../support/workflow.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

/** Emits its request's value with its other fields as metadata; throws if the request has `fail`. */
const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run(event) {
    const { say, large, fail, ...meta } = event.body;
    if (fail) throw new Error(fail);
    this.$emit(large ? { kind: say, text: "x".repeat(large) } : say, meta);
  } }`;

/** Emits its events. */
const LISTENER = `export default { name: "Listener", version: "1", run(event) { this.$emit({ received: event }) } }`;

async function deploy(client: Client, component_code: string) {
  const { body } = await client.post("/sources", { component_code });
  const { id, configured_props } = body.data;
  return { id: id as string, url: configured_props["http"]?.endpoint_url as string };
}

async function webhook(client: Client) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url });
  const bodies = async () => (await receiver.received()).map((one) => JSON.parse(one.body));
  /** The received bodies by id: a delivery that its object lost is repeated under the same id. */
  const byId = async () =>
    Object.values(
      Object.fromEntries(
        (await receiver.received()).map((one) => [one.headers["webhook-id"], JSON.parse(one.body)]),
      ),
    );
  return { id: body.data.id as string, bodies, byId };
}

async function subscribe(client: Client, emitter_id: string, listener_id: string, more: object) {
  const answer = await client.post("/subscriptions", { emitter_id, listener_id, ...more });
  expect(answer).toMatchObject({ status: 200 });
}

/** Wait until the router has acknowledged all events of a source. */
async function settled(id: string) {
  await expect.poll(() => pendingWork(env.SOURCES.getByName(id))).toBe(0);
}

test("webhooks, sources and workflows receive only events that match their filters", async () => {
  const ada = await signUp();
  const [source, listener, hook] = [
    await deploy(ada, RELAY),
    await deploy(ada, LISTENER),
    await webhook(ada),
  ];
  const steps = [{ name: "a", component_code: code("return steps.trigger.event.n") }];
  const flow = await deployWorkflow({ owner: ada, steps });
  const filter = "event.n > 1";
  for (const { id } of [listener, hook, flow]) await subscribe(ada, source.id, id, { filter });
  await sendJson(source.url, { say: { n: 1 } });
  await sendJson(source.url, { say: "no object" });
  await settled(source.id);
  await sendJson(source.url, { say: { n: 2 } });
  await expect.poll(hook.bodies).toEqual([{ n: 2 }]);
  await expect.poll(() => runsOf(flow)).toMatchObject([{ state: "succeeded" }]);
  const received = async () =>
    (await ada.get(`/sources/${listener.id}/event_summaries?expand=event`)).body.data.map(
      ({ event }: { event: unknown }) => event,
    );
  await expect.poll(received).toEqual([{ received: { n: 2 } }]);
});

test("a filter reads the metadata of an event", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  const filter = `id == "e2" && summary.startsWith("Or") && ts == 5 && name == "orders" && source == "${source.id}"`;
  await subscribe(ada, source.id, hook.id, { filter, event_name: "orders" });
  await sendJson(source.url, { say: 1, id: "e1", summary: "Order", ts: 5, name: "orders" });
  await settled(source.id);
  await sendJson(source.url, { say: 2, id: "e2", summary: "Order", ts: 5, name: "orders" });
  await expect.poll(hook.bodies).toEqual([2]);
});

test("a new filter applies to events after the response", async () => {
  const ada = await signUp();
  const [source, hook] = [await deploy(ada, RELAY), await webhook(ada)];
  const say = async (value: number) => {
    await sendJson(source.url, { say: value });
    await settled(source.id);
  };
  await subscribe(ada, source.id, hook.id, { filter: "event == 1" });
  await say(1);
  await subscribe(ada, source.id, hook.id, { filter: "event == 2" });
  await say(1);
  await say(2);
  await subscribe(ada, source.id, hook.id, {});
  await say(3);
  await subscribe(ada, source.id, hook.id, { filter: "" });
  await say(4);
  await expect.poll(hook.bodies).toEqual([1, 2, 4]);
});

test("filters of a glob apply to each emitter, and an event that matches one of two is delivered once", async () => {
  const ada = await signUp();
  const [first, second, hook] = [
    await deploy(ada, RELAY),
    await deploy(ada, RELAY),
    await webhook(ada),
  ];
  await subscribe(ada, "dc_*", hook.id, { filter: "event > 1" });
  await subscribe(ada, first.id, hook.id, { filter: "event < 3" });
  for (const say of [1, 2, 3]) {
    await sendJson(first.url, { say });
    await settled(first.id);
  }
  for (const say of [1, 12]) {
    await sendJson(second.url, { say });
    await settled(second.id);
  }
  await expect.poll(hook.bodies).toEqual([1, 2, 3, 12]);
});

test("errors are filtered, also by an auto-subscription's filter", async () => {
  const ada = await signUp();
  const [hook, auto] = [await webhook(ada), await webhook(ada)];
  const link = { event_name: "$errors", listener_id: auto.id };
  const filter = 'event.error.message.includes("disk")';
  const { body } = await ada.post("/auto_subscriptions", { ...link, filter });
  expect(body.data).toMatchObject({ ...link, filter });
  const source = await deploy(ada, RELAY);
  await subscribe(ada, source.id, hook.id, { event_name: "$errors", filter });
  await sendJson(source.url, { fail: "no network" });
  await settled(source.id);
  await sendJson(source.url, { fail: "no disk" });
  for (const one of [hook, auto])
    await expect.poll(one.bodies).toMatchObject([{ error: { message: "no disk" } }]);
});

test("filters large events, and a costly filter delays no other listener", async () => {
  const ada = await signUp();
  const [source, costly, hook] = [await deploy(ada, RELAY), await webhook(ada), await webhook(ada)];
  const searches = Array.from({ length: 25 }, () => 'event.text.includes("yxxxxxxxx")');
  await subscribe(ada, source.id, costly.id, { filter: searches.join("||") });
  await subscribe(ada, source.id, hook.id, { filter: 'event.kind == "b"' });
  for (const say of ["a", "b"]) await sendJson(source.url, { say, large: 1_000_000 });
  await expect.poll(hook.bodies).toMatchObject([{ kind: "b" }]);
  await settled(source.id);
  expect(await costly.bodies()).toEqual([]);
});

test("despite evictions, each event reaches listeners without a filter and those with a matching one once", async () => {
  const ada = await signUp();
  const [source, filtered, all] = [
    await deploy(ada, RELAY),
    await webhook(ada),
    await webhook(ada),
  ];
  await subscribe(ada, source.id, filtered.id, { filter: "event % 2 == 0" });
  await subscribe(ada, source.id, all.id, {});
  const object = env.SOURCES.getByName(source.id);
  const receiving = env.WEBHOOKS.getByName(filtered.id);
  for (let say = 1; say <= 12; say += 1) {
    await sendJson(source.url, { say });
    // The last event's queue message may be lost with the object.
    if (say % 3 === 0) await evictDurableObject(object);
    if (say % 4 === 0) await receiving.status().then(() => evictDurableObject(receiving));
  }
  await object.recover();
  await settled(source.id);
  const sorted = async (hook: typeof all) =>
    (await hook.byId()).map(Number).toSorted((a, b) => a - b);
  await expect.poll(() => sorted(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  await expect.poll(() => sorted(filtered)).toEqual([2, 4, 6, 8, 10, 12]);
});

import { text } from "node:stream/consumers";

import {
  createMCPClient,
  type Experimental_MCPEvent as Event,
  type Experimental_MCPEventControl as Control,
  type Experimental_MCPEventStore as Store,
  experimental_createMCPEventWebhook as createWebhook,
} from "@ai-sdk/mcp";
import { expect, onTestFinished, test } from "vitest";

import { newSubscriptionStore } from "../../tools/chaos/agents/subscription-store.ts";
import { call, type DeployedSource, deploy } from "../../tools/scripts/api.ts";
import type { RunningPlatform } from "../../tools/scripts/platform.ts";
import { newState, send, started } from "../support/contained.ts";
import { serve } from "../support/serve.ts";

const CODE = `export default {
  name: "Orders", version: "1",
  props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body, { id: body.id }); },
};`;

/** The published client's receiver of events, which keeps each event once by its id. */
async function newReceiver(store: Store) {
  const events = new Map<string, Event>();
  const controls: Control[] = [];
  const handle = createWebhook({
    store,
    onEvent: async ({ event }) => void events.set(event.eventId, event),
    onGap: async ({ gap }) => void controls.push(gap),
    onTerminated: async ({ termination }) => void controls.push(termination),
  });
  const { origin, close } = await serve(async (request, response) => {
    const { method = "", headers, url = "" } = request;
    const given = new Request(`http://127.0.0.1${url}`, {
      method,
      headers: headers as Record<string, string>,
      body: await text(request),
    });
    const answer = await handle(given);
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(close);
  return { url: `${origin}/hook`, controls, ids: () => [...events.values()].map(idOf) };
}

function idOf({ data }: Event): unknown {
  return data["id"];
}

/** The published client, connected to a platform by a key with the scope to subscribe. */
async function connected({ url, apiKey }: RunningPlatform, store: Store) {
  const { agent_key: key } = await call<{ agent_key: string }>({ url, apiKey }, "/agent_keys", {
    name: "Robot",
    scope: "read subscribe",
  });
  const client = await createMCPClient({
    transport: {
      type: "http",
      url: url.replace(/\/v1$/, "/mcp"),
      headers: { authorization: `Bearer ${key}` },
    },
    experimental_events: { store },
  });
  onTestFinished(() => client.close());
  return client.experimental_events;
}

const by = (url: string) => ({ mode: "webhook" as const, url, allowInsecureLocalhost: true });
const PATIENTLY = { timeout: 60_000, interval: 100 };

test("the published client subscribes, verifies, receives, refreshes and unsubscribes", async () => {
  const platform = await started();
  const [orders, store] = [await deploy(platform, CODE), newSubscriptionStore()];
  const events = await connected(platform, store);
  const receiver = await newReceiver(store);
  const listed = await events.list();
  expect(listed.events.map(({ name }) => name)).toEqual([orders.id]);

  const subscribed = await events.subscribe({
    name: orders.id,
    arguments: { filter: "event.id > 0" },
    delivery: by(receiver.url),
    ttlMs: 60_000,
  });
  expect(subscribed).toMatchObject({ truncated: false, refreshBefore: expect.any(String) });
  await send(orders, { id: 0 });
  await send(orders, { id: 1 });
  await expect.poll(receiver.ids, PATIENTLY).toEqual([1]);

  const refreshed = await events.refresh({ id: subscribed.id });
  expect(refreshed.id).toBe(subscribed.id);
  await send(orders, { id: 2 });
  await expect.poll(receiver.ids, PATIENTLY).toEqual([1, 2]);
  await events.unsubscribe({ id: subscribed.id });
  await send(orders, { id: 3 });
  expect(store.all()).toEqual([]);
  await expect(events.refresh({ id: subscribed.id })).rejects.toThrow("Unknown");
});

test("a subscription survives kills of the platform, and its client gets each event once", async () => {
  const stateDir = await newState();
  let platform = await started({}, { stateDir });
  const port = Number(new URL(platform.url).port);
  const [orders, store] = [await deploy(platform, CODE), newSubscriptionStore()];
  const receiver = await newReceiver(store);
  const events = await connected(platform, store);
  await events.subscribe({ name: orders.id, delivery: by(receiver.url) });
  for (let kill = 1; kill <= 3; kill += 1) {
    await sendEach(orders, 10 * kill);
    await platform.kill();
    platform = await started({}, { stateDir, port });
  }
  await sendEach(orders, 40);
  const all = [10, 20, 30, 40].flatMap((first) => [first, first + 1, first + 2]);
  const received = () => (receiver.ids() as number[]).toSorted((a, b) => a - b);
  await expect.poll(received, PATIENTLY).toEqual(all);
});

/** Save a source as a component, which nobody has deployed. `hook`: the code of its deploy hook. */
async function saveComponent({ url, apiKey }: RunningPlatform, hook = ""): Promise<string> {
  const key = "shop-new-orders";
  const component_code = `export default {
    key: "${key}", name: "New orders", version: "0.1.0", type: "source",
    props: { http: "$.interface.http", shop: "string" },
    hooks: { async deploy() { ${hook} } },
    run({ body }) { this.$emit(body, { id: body.id }); },
  };`;
  await call({ url, apiKey }, "/components", { component_code });
  return key;
}

function sourcesOf({ url, apiKey }: RunningPlatform): Promise<DeployedSource[]> {
  return call<DeployedSource[]>({ url, apiKey }, "/users/me/sources", undefined, "GET");
}

test("the published client subscribes to a component, receives, and leaves no source behind", async () => {
  const platform = await started();
  const [key, store] = [await saveComponent(platform), newSubscriptionStore()];
  const events = await connected(platform, store);
  const receiver = await newReceiver(store);
  const listed = await events.list();
  expect(listed.events).toMatchObject([{ name: key, inputSchema: { required: ["shop"] } }]);

  const wanted = { name: key, delivery: by(receiver.url) };
  await expect(events.subscribe({ ...wanted, arguments: {} })).rejects.toThrow(
    "arguments.shop: is required",
  );
  const subscribed = await events.subscribe({ ...wanted, arguments: { shop: "Analytical" } });
  const [source, ...others] = await sourcesOf(platform);
  if (!source) throw new Error("No source was deployed");
  expect(others).toEqual([]);
  await send(source, { id: 1 });
  await expect.poll(receiver.ids, PATIENTLY).toEqual([1]);
  expect((await events.refresh({ id: subscribed.id })).id).toBe(subscribed.id);
  await send(source, { id: 2 });
  await expect.poll(receiver.ids, PATIENTLY).toEqual([1, 2]);
  await events.unsubscribe({ id: subscribed.id });
  expect(await sourcesOf(platform)).toEqual([]);
});

test("a kill while a source is deployed for an agent costs a retry, and leaves one source", async () => {
  const stateDir = await newState();
  let platform = await started({}, { stateDir });
  const port = Number(new URL(platform.url).port);
  let deployments = 0;
  const slow = await serve((_, response) => {
    deployments += 1;
    // The first one never gets a response.
    if (deployments > 1) response.end();
  });
  onTestFinished(slow.close);
  const key = await saveComponent(platform, `await fetch("${slow.origin}");`);
  const store = newSubscriptionStore();
  const receiver = await newReceiver(store);
  const events = await connected(platform, store);
  const subscribe = () =>
    events.subscribe({
      name: key,
      arguments: { shop: "Analytical" },
      delivery: by(receiver.url),
    });
  const cut = subscribe().catch((error: unknown) => error);
  await expect.poll(() => deployments, PATIENTLY).toBe(1);
  await platform.kill();
  expect(await cut).toBeInstanceOf(Error);
  platform = await started({}, { stateDir, port });
  const granted = await subscribe();
  const [source, ...others] = await sourcesOf(platform);
  if (!source) throw new Error("No source was deployed");
  expect([deployments, others]).toEqual([2, []]);
  await send(source, { id: 1 });
  await expect.poll(receiver.ids, PATIENTLY).toEqual([1]);
  await events.unsubscribe({ id: granted.id });
  expect(await sourcesOf(platform)).toEqual([]);
});

async function sendEach(orders: DeployedSource, first: number): Promise<void> {
  for (const id of [first, first + 1, first + 2]) expect(await send(orders, { id })).toBe(200);
}

// @suites release

import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { countRoundTrips } from "#db/round-trips.ts";
import type { Emitter } from "#domain/routes.ts";
import { shardName } from "#domain/source-shards.ts";
import { consume } from "#worker/queue/consumer.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { routesInD1, routesOfRouter } from "../support/routes.ts";
import { pendingWork } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run({ body }) { if (body.fails) throw new Error("broken"); this.$emit(body) } }`;

const SHARDS = 3;

/** The number of events that are emitted after each change. Those of a source with shards are on several of them. */
const EVENTS_PER_STEP = 3;

async function deploy(client: Client, org_id: string, shards = 1) {
  const { body } = await client.post("/sources", { component_code: RELAY, org_id, shards });
  const url: string = body.data.configured_props["http"].endpoint_url;
  return { id: body.data.id as string, url };
}

/** A webhook with the numbers of its received events. */
async function listener(client: Client, more: object = {}) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url, ...more });
  const numbers = async () =>
    (await receiver.received()).map(({ body: text }): number => {
      const event = JSON.parse(text);
      return (event.original_event?.body ?? event).n;
    });
  return { id: body.data.id as string, client, numbers };
}

/** The number of events in the outboxes of all shards. */
async function pending(id: string): Promise<number> {
  const counts = Array.from({ length: SHARDS }, (_, shard) =>
    pendingWork(env.SOURCES.getByName(shardName(id, shard))),
  );
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The listeners of an emitter's events on a channel with this number, by its routes in D1. */
async function listenersOf(emitter: Emitter, channel: string, n: number): Promise<Set<string>> {
  const routes = (await routesInD1(emitter)).split("\n").map((text) => text.split(" "));
  const matching = routes.filter(
    ([, wanted, , filter]) => wanted === channel && (!filter || n % 2 === 0),
  );
  return new Set(matching.map(([, , id = ""]) => id));
}

/** The numbers of the events that a listener received, each once: a webhook may get one again. */
async function distinct({ numbers }: Awaited<ReturnType<typeof listener>>): Promise<number[]> {
  return [...new Set(await numbers())].toSorted((a, b) => a - b);
}

/** Send events with these numbers, and wait until they are routed: later listeners may receive those that are not. */
async function sendAll(
  { id, url }: Awaited<ReturnType<typeof deploy>>,
  events: readonly number[],
  fails: boolean,
): Promise<void> {
  const responses = await Promise.all(events.map((n) => sendJson(url, { n, fails })));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  await expect.poll(() => pending(id)).toBe(0);
}

/** A generator with the same numbers for the same seed. */
function randomOf(seed: number) {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A workspace with random changes of members, sources, webhooks and subscriptions. */
async function newWorld(seed: number) {
  const pick = randomOf(seed);
  const [ada, ben] = [await signUp(), await signUp()];
  const org = await workspaceOf(ada, ben);
  const emitters = [await deploy(ada, org), await deploy(ada, org, SHARDS)];
  const hooks = [await listener(ada), await listener(ada, { org_id: org }), await listener(ben)];
  const all = [...hooks];
  const errors = { emitter_id: org, event_name: "$errors", org_id: org };
  for (const { id: listener_id } of hooks)
    await ada.post("/subscriptions", { ...errors, listener_id });
  const one = <T>(list: readonly T[]): T => {
    const chosen = list[pick(list.length)];
    if (chosen === undefined) throw new Error("There is nothing to choose from");
    return chosen;
  };
  const link = () => ({
    emitter_id: one([...emitters.map(({ id }) => id), "dc_*"]),
    listener_id: one(hooks).id,
    org_id: org,
  });
  const auto = () => ({ event_name: "$errors", listener_id: one(hooks).id, org_id: org });
  const ofErrors = () => ({ ...auto(), emitter_id: one([...emitters.map(({ id }) => id), org]) });
  const replace = async <T extends { id: string }>(
    list: T[],
    path: string,
    make: () => Promise<T>,
  ) => {
    const gone = one(list);
    const client = path === "sources" ? ada : hooks.find(({ id }) => id === gone.id)?.client;
    await client?.delete(`/${path}/${gone.id}`);
    list.splice(list.indexOf(gone), 1, await make());
  };
  const changes: (() => Promise<unknown>)[] = [
    () => one([ada, ben]).post("/subscriptions", link()),
    () => one([ada, ben]).post("/subscriptions", link()),
    () => one([ada, ben]).post("/subscriptions", { ...link(), filter: "event.n % 2 = 0" }),
    () => one([ada, ben]).delete(`/subscriptions?${new URLSearchParams(link()).toString()}`),
    () => ada.post("/auto_subscriptions", auto()),
    () => ada.delete(`/auto_subscriptions?${new URLSearchParams(auto()).toString()}`),
    () => one([ada, ben]).post("/subscriptions", ofErrors()),
    () => one([ada, ben]).delete(`/subscriptions?${new URLSearchParams(ofErrors()).toString()}`),
    () => operator.delete(`/workspaces/${org}/members/${ben.user.id}`),
    () => operator.put(`/workspaces/${org}/members/${ben.user.id}`),
    () =>
      replace(hooks, "webhooks", async () => {
        const made = await listener(one([ada, ben]));
        all.push(made);
        return made;
      }),
    () => replace(emitters, "sources", () => deploy(ada, org, one([1, SHARDS]))),
    () => ada.put(`/sources/${one(emitters).id}`, { shards: one([1, 2, SHARDS]) }),
  ];
  const emitterOf = (id: string): Emitter => ({ id, ownerId: org });
  return { org, emitters, all, emitterOf, one, pick, change: () => one(changes)() };
}

test.for([1, 2, 3])(
  "while subscriptions change, each event reaches its listeners in D1 at the time of its emit: %i",
  async (seed) => {
    const world = await newWorld(seed);
    const owner = env.OWNERS.getByName(world.org);
    const expected = new Map<number, Set<string>>();
    const channels = new Set<string>();
    let n = 0;
    for (let step = 0; step < 40; step += 1) {
      const [before] = world.emitters.map(({ id }) => world.emitterOf(id));
      // Lookups race with the change: their results are cached unless the change invalidates them.
      const racing = [0, 1, 2].map(() => routesOfRouter(before ?? world.emitterOf("dc_none")));
      await world.change();
      await Promise.all(racing);
      if (world.pick(4) === 0) await evictDurableObject(owner);
      for (const { id } of world.emitters) {
        const truth = await routesInD1(world.emitterOf(id));
        expect(await routesOfRouter(world.emitterOf(id))).toBe(truth);
      }
      const emitter = world.one(world.emitters);
      const channel = world.pick(4) === 0 ? "$errors" : "";
      const events = Array.from({ length: EVENTS_PER_STEP }, () => (n += 1));
      for (const one of events) {
        const listeners = await listenersOf(world.emitterOf(emitter.id), channel, one);
        expected.set(one, listeners);
        if (listeners.size > 0) channels.add(channel);
      }
      await sendAll(emitter, events, channel !== "");
    }
    for (const hook of world.all) {
      const numbers = [...expected].filter(([, ids]) => ids.has(hook.id)).map(([one]) => one);
      await expect.poll(() => distinct(hook)).toEqual(numbers);
    }
    expect(channels).toEqual(new Set(["", "$errors"]));
  },
);

test("an event of a known emitter is routed without a query of D1", async () => {
  const ada = await signUp();
  const org = await workspaceOf(ada);
  const [source, hook] = [await deploy(ada, org), await listener(ada)];
  await ada.post("/subscriptions", { emitter_id: source.id, listener_id: hook.id });
  await sendJson(source.url, { n: 1 });
  await expect.poll(hook.numbers).toEqual([1]);
  const { database, roundTrips } = countRoundTrips(env.DB);
  let acknowledged = 0;
  const message = {
    id: "m",
    timestamp: new Date(),
    attempts: 1,
    body: { sourceId: source.id, ownerId: org as `o_${string}`, positions: [1] },
    ack: () => void (acknowledged += 1),
    retry: () => {},
  };
  const batch = {
    queue: "emissions",
    messages: [message],
    metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } },
    ackAll() {},
    retryAll() {},
  };
  await consume(batch, createRouterDeps({ ...env, DB: database }));
  expect([acknowledged, roundTrips()]).toEqual([1, 0]);
  // The owner's object sends none either: it still returns the routes that D1 no longer has.
  const emitter = { id: source.id, ownerId: org };
  expect(await routesOfRouter(emitter)).toBe(await routesInD1(emitter));
  await env.DB.prepare("DELETE FROM subscriptions WHERE owner_id = ?").bind(org).run();
  expect(await routesOfRouter(emitter)).toContain(hook.id);
});

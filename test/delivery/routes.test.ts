import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { countRoundTrips } from "#db/round-trips.ts";
import type { Emitter } from "#domain/routes.ts";
import { consume } from "#worker/queue/consumer.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";

import { operator, signUp, workspaceOf } from "../support/client.ts";
import { sendJson } from "../support/deploy.ts";
import { routesInD1, routesOfRouter } from "../support/routes.ts";
import { newReceiver } from "../support/webhook.ts";

type Client = Awaited<ReturnType<typeof signUp>>;

const RELAY = `export default { name: "Relay", version: "1", props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) } }`;

async function deploy(client: Client, org_id: string) {
  const { body } = await client.post("/sources", { component_code: RELAY, org_id });
  const url: string = body.data.configured_props["http"].endpoint_url;
  return { id: body.data.id as string, url };
}

/** A webhook with the numbers of its received events. */
async function listener(client: Client, more: object = {}) {
  const receiver = await newReceiver({ status: 200 });
  const { body } = await client.post("/webhooks", { url: receiver.url, ...more });
  const numbers = async () =>
    new Set((await receiver.received()).map((one): number => JSON.parse(one.body).n));
  return { id: body.data.id as string, client, numbers };
}

/** The receivers of an event with any number, and of one with an even number. */
type Expected = { in: Set<string>; even: Set<string> };

const undelivered = (id: string) =>
  runInDurableObject(env.SOURCES.getByName(id), (_, { storage }) =>
    storage.sql.exec("SELECT count(*) AS n FROM events WHERE undelivered = 1").one(),
  );

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
  const emitters = [await deploy(ada, org), await deploy(ada, org)];
  const hooks = [await listener(ada), await listener(ada, { org_id: org }), await listener(ben)];
  const all = [...hooks];
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
    () =>
      ada.post("/auto_subscriptions", {
        event_name: "$errors",
        listener_id: one(hooks).id,
        org_id: org,
      }),
    () => operator.delete(`/workspaces/${org}/members/${ben.user.id}`),
    () => operator.put(`/workspaces/${org}/members/${ben.user.id}`),
    () =>
      replace(hooks, "webhooks", async () => {
        const made = await listener(one([ada, ben]));
        all.push(made);
        return made;
      }),
    () => replace(emitters, "sources", () => deploy(ada, org)),
  ];
  const emitterOf = (id: string): Emitter => ({ id, ownerId: org });
  return { org, emitters, all, emitterOf, one, pick, change: () => one(changes)() };
}

test.for([1, 2, 3])(
  "while subscriptions change, each event reaches its listeners in D1 at the time of its emit: %i",
  { timeout: 120_000 },
  async (seed) => {
    const world = await newWorld(seed);
    const owner = env.OWNERS.getByName(world.org);
    const expected = new Map<number, Expected>();
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
      n += 1;
      const routes = (await routesInD1(world.emitterOf(emitter.id))).split("\n");
      const listeners = routes.filter((text) => text.split(" ")[1] === "");
      const idOf = (text: string): string => text.split(" ")[2] ?? "";
      expected.set(n, {
        in: new Set(
          listeners.filter((text) => !text.includes("event.n")).map((text) => idOf(text)),
        ),
        even: new Set(listeners.map((text) => idOf(text))),
      });
      await sendJson(emitter.url, { n });
      // It is routed before the next change, because later listeners may receive it, too.
      await expect.poll(() => undelivered(emitter.id), { timeout: 10_000 }).toEqual({ n: 0 });
    }
    const receives = ([number, { in: all, even }]: [number, Expected], id: string) =>
      (number % 2 === 0 ? even : all).has(id);
    for (const hook of world.all) {
      const numbers = [...expected]
        .filter((one) => receives(one, hook.id))
        .map(([number]) => number);
      await expect
        .poll(async () => [...(await hook.numbers())].toSorted((a, b) => a - b), {
          timeout: 10_000,
        })
        .toEqual(numbers);
    }
    expect([...expected.values()].some(({ in: all }) => all.size > 0)).toBe(true);
  },
);

test("an event of a known emitter is routed without a query of D1", async () => {
  const ada = await signUp();
  const org = await workspaceOf(ada);
  const [source, hook] = [await deploy(ada, org), await listener(ada)];
  await ada.post("/subscriptions", { emitter_id: source.id, listener_id: hook.id });
  await sendJson(source.url, { n: 1 });
  await expect.poll(async () => [...(await hook.numbers())]).toEqual([1]);
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

import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Delivery } from "#domain/deliveries.ts";
import { eventId } from "#domain/event-ids.ts";
import { newId } from "#domain/ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { createRouterDeps } from "#worker/queue/router-deps.ts";
import { type RouterDeps, route } from "#worker/queue/router.ts";

import { deploy, eventsOf } from "../support/deploy.ts";
import { storeEvents, undeliveredEvents } from "../support/source-tables.ts";
import { newReceiver } from "../support/webhook.ts";

const MB = 1024 * 1024;

/** Emits the length of its event. */
const MEASURING = `export default { run(event) { this.$emit(event.length) } }`;

/** Does so too, unless the event is the URL of a gate: then the other events wait until it opens. */
const WAITING = `export default { props: { db: "$.service.db" }, async run(event) {
  if (event.startsWith("http")) await fetch(event, { method: "POST" });
  else this.$emit(event.length);
} }`;

type Source = Awaited<ReturnType<typeof deploy>>;

/** Fill the outbox of a source, as after an outage of the queue, and return the message for it. */
async function backlogOf({ stub, deployment }: Source, count: number, length: number) {
  const payload = JSON.stringify("x".repeat(length));
  const payloads = Array.from({ length: count }, () => payload);
  const positions = await storeEvents(stub, payloads, { isUndelivered: true });
  return { sourceId: deployment.sourceId, ownerId: deployment.ownerId, positions };
}

/** The router's real deps, with a record of the bytes in flight. */
function observed(deps: RouterDeps, routes: RouterDeps["routes"]) {
  const seen = { calls: [] as number[], claimed: 0, peak: 0, sent: [] as EmissionMessage[] };
  const bytesIn = (events: readonly { payload: string }[]) =>
    events.reduce((sum, { payload }) => sum + payload.length, 0);
  const claims = new Map<number, number>();
  const observing: RouterDeps = {
    ...deps,
    routes,
    claim: async (id, positions, maxBytes) => {
      const claim = await deps.claim(id, positions, maxBytes);
      for (const { position, payload } of claim?.events ?? []) claims.set(position, payload.length);
      seen.peak = Math.max(
        seen.peak,
        claims.values().reduce((sum, bytes) => sum + bytes, 0),
      );
      return claim;
    },
    deliver: (id, deliveries, listeners) => {
      seen.calls.push(bytesIn(deliveries));
      return deps.deliver(id, deliveries, listeners);
    },
    acknowledge: async (id, positions, hasSubscribers) => {
      for (const position of positions) claims.delete(position);
      await deps.acknowledge(id, positions, hasSubscribers);
    },
    send: async (message) => void seen.sent.push(message),
  };
  return { seen, observing };
}

test("sends five backlogs of 8 MB to their listener in calls of at most 8 MB", async () => {
  const owner = newId("user");
  const listener = await deploy(MEASURING, { owner });
  const sources = await Promise.all(Array.from({ length: 5 }, () => deploy(MEASURING, { owner })));
  let messages: EmissionMessage[] = await Promise.all(
    sources.map((source) => backlogOf(source, 8, MB - 100)),
  );
  const { seen, observing } = observed(createRouterDeps(env), async () =>
    messages.map(({ sourceId: emitterId, ownerId }) => ({
      emitterId,
      ownerId,
      channel: "",
      listenerId: listener.deployment.sourceId,
      filter: null,
    })),
  );
  for (let turn = 0; messages.length > 0 && turn < 20; turn += 1) {
    const settled = await route(messages, observing);
    messages = [...messages.filter((_, index) => !settled[index]), ...seen.sent.splice(0)];
  }
  // Acknowledgements of a stream are stored a moment later.
  for (const { stub } of sources) await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  await expect.poll(async () => (await eventsOf(listener.stub)).length).toBe(40);
  expect(Math.max(...seen.calls)).toBeLessThanOrEqual(8 * MB);
  expect(seen.peak).toBeLessThanOrEqual(24 * MB);
});

test("claims events that are too large for their share of a full batch a few at a time", async () => {
  const deps = createRouterDeps(env);
  const messages = Array.from({ length: 100 }, (_, index) => ({
    sourceId: `dc_${index}`,
    ownerId: "u_ada" as const,
    positions: [index],
  }));
  const payload = "x".repeat(MB);
  const { seen, observing } = observed(
    {
      ...deps,
      claim: async (_, [position = 0], maxBytes) =>
        maxBytes < 2 * MB
          ? { events: [], deferred: [position] }
          : { events: [{ position, channel: "", emitId: "e", payload, hops: 1 }], deferred: [] },
      deliver: async () => true,
      acknowledge: async () => {},
    },
    async () => [
      { emitterId: "dc_*", ownerId: "u_ada", channel: "", listenerId: "wh_1", filter: null },
    ],
  );
  expect(await route(messages, observing)).toEqual(messages.map(() => true));
  expect(seen.calls.reduce((sum, bytes) => sum + bytes, 0)).toBe(100 * MB);
  expect(seen.peak).toBeLessThanOrEqual(24 * MB);
  expect(seen.sent).toEqual([]);
});

test("pending events reach a source's isolate in calls below the RPC limit", async () => {
  const { stub } = await deploy(WAITING);
  const gate = await newReceiver({ status: 204, isHeld: true });
  // Two bytes a character: 32 of these exceed one call.
  const large = JSON.stringify("€".repeat(600_000));
  const base = Date.now() * 1000;
  const deliver = (payload: string, index: number): Delivery => ({
    position: base + index,
    eventId: eventId(base + index),
    emitId: crypto.randomUUID(),
    emitterId: "dc_other",
    channel: "",
    payload,
    hops: 1,
  });
  const calls = [[deliver(JSON.stringify(gate.url), 0)]];
  for (let call = 0; call < 6; call += 1)
    calls.push(Array.from({ length: 6 }, (_, index) => deliver(large, call * 6 + index + 1)));
  const taken = await Promise.all(calls.map((call) => stub.receive(call)));
  expect(taken).toEqual(calls.map(() => true));
  await gate.release();
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(36);
  expect(await eventsOf(stub, "$errors")).toEqual([]);
});

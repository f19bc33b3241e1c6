import { bytesAtMost } from "#domain/concurrency.ts";
import type { Claim, Delivery } from "#domain/deliveries.ts";
import type { Position } from "#domain/event-ids.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { type Emitter, matches, type Route, routeKeysOf } from "#domain/routes.ts";
import { shardName } from "#domain/source-shards.ts";
import { chunksOf, MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";
import { log } from "#telemetry/log.ts";

import { type Handover, logHandovers } from "./event-log.ts";
import { BatchFilters } from "./filtering.ts";
import { matchEvents } from "./matching.ts";

/** Maximum bytes of events that a batch has in memory, and again as many in calls to listeners. */
const BATCH_BYTES = 3 * MAX_CALL_BYTES;

/** Maximum listeners of a message in one pass: another pass waits for the queue, … */
const MAX_LISTENERS = 1000;

/** … and of a batch, which may call 10,000 objects: messages of one emitter have the same listeners. */
const LISTENERS_OF_BATCH = 8000;

/** The router's calls to other parts of the platform. */
export type RouterDeps = {
  /** Read events of at most so many bytes from the outbox of an object; null if its source was deleted. */
  claim(objectName: string, positions: Position[], maxBytes: number): Promise<Claim | null>;
  /** The subscriptions of an owner to some emitters: by id, by glob, or by the owner. */
  routes(ownerId: string, emitterIds: readonly string[]): Promise<Route[]>;
  /** Deliver events durably to one of so many listeners of a pass. False: it has no room for them now. */
  deliver(listenerId: string, deliveries: Delivery[], listeners: number): Promise<boolean>;
  /** Acknowledge that a source's events are delivered; `hasSubscribers`: whether it has any listener. */
  acknowledge(objectName: string, positions: Position[], hasSubscribers: boolean): Promise<void>;
  send(message: EmissionMessage): Promise<void>;
};

/** The part of one message that is delivered now, by listener; and the last listener, if more follow. */
type Pass = {
  message: EmissionMessage;
  /** The events to acknowledge once their listeners have them, and those to request again. */
  positions: Position[];
  deferred: Position[];
  /** Whether the first event is larger than the share of the batch that a message has. */
  isTooLarge: boolean;
  hasSubscribers: boolean;
  deliveries: Map<string, Delivery[]>;
  /** The events that the filters of each listener exclude. */
  filtered: Map<string, Delivery[]>;
  continueAfter: string | undefined;
};

/** The routes of a batch by owner; owners with unavailable routes are absent. */
type RoutesByOwner = ReadonlyMap<string, readonly Route[]>;

/** The routes and filters of a batch, the deps, and the maximum bytes and listeners of each message. */
type Service = {
  routes: RoutesByOwner;
  filters: BatchFilters;
  deps: RouterDeps;
  claimBytes: number;
  maxListeners: number;
};

/** Whether a message is settled; postponed: its first event is larger than its share of the batch. */
type Settlement = boolean | "postponed";

/**
 * Deliver the events of a batch of messages to their listeners. Resolves, for each message, to whether it is settled;
 * any other must be retried, and listeners that already have its events drop the duplicates.
 */
export async function route(
  messages: readonly EmissionMessage[],
  deps: RouterDeps,
): Promise<boolean[]> {
  const routes = await routesOf(messages, deps);
  const claimBytes = Math.min(MAX_CALL_BYTES, Math.floor(BATCH_BYTES / messages.length));
  const sets = new Set(messages.map(({ sourceId, after = "" }) => `${sourceId} ${after}`));
  const maxListeners = Math.min(MAX_LISTENERS, Math.floor(LISTENERS_OF_BATCH / sets.size));
  const filters = new BatchFilters(messages);
  const whole = { routes, filters, deps, claimBytes, maxListeners };
  const settlements = await serve(messages, whole);
  const postponed = [...settlements.keys()].filter((index) => settlements[index] === "postponed");
  const atOnce = BATCH_BYTES / MAX_CALL_BYTES;
  for (let next = 0; next < postponed.length; next += atOnce) {
    const turn = postponed.slice(next, next + atOnce);
    const large = turn.flatMap((index) => messages[index] ?? []);
    const served = await serve(large, { ...whole, claimBytes: MAX_CALL_BYTES });
    for (const [at, settlement] of served.entries()) settlements[turn[at] ?? -1] = settlement;
  }
  return settlements.map((settlement) => settlement === true);
}

/** Claim the events of all messages at once, and deliver them to their listeners. */
async function serve(
  messages: readonly EmissionMessage[],
  service: Service,
): Promise<Settlement[]> {
  const { deps } = service;
  const passes = await Promise.all(messages.map((message) => passOf(message, service)));
  const failed = await deliverAll(passes, deps);
  return Promise.all(
    passes.map(async (pass) => {
      if (!pass) return pass === null;
      if (pass.isTooLarge) return "postponed";
      await settle(pass, failed, deps);
      return !reaches(pass, failed);
    }),
  );
}

/** The events of a message; null if their source was deleted, undefined if it is unavailable. */
async function claimOf(
  { sourceId, shard, positions }: EmissionMessage,
  { deps, claimBytes }: Service,
): Promise<Claim | null | undefined> {
  try {
    return await deps.claim(shardName(sourceId, shard), positions, claimBytes);
  } catch (error) {
    log("emitter_unreachable", { emitter_id: sourceId, count: positions.length, error });
    return undefined;
  }
}

/** Query each owner's object once, all concurrently: a failure delays only that owner's messages. */
async function routesOf(
  messages: readonly EmissionMessage[],
  deps: RouterDeps,
): Promise<RoutesByOwner> {
  const owners = new Map<string, Set<string>>();
  for (const message of messages) {
    const keys = owners.get(message.ownerId) ?? new Set();
    for (const key of routeKeysOf(emitterOf(message))) keys.add(key);
    owners.set(message.ownerId, keys);
  }
  const routes = new Map<string, Route[]>();
  await Promise.all(
    [...owners].map(async ([ownerId, keys]) => {
      try {
        routes.set(ownerId, await deps.routes(ownerId, [...keys]));
      } catch (error) {
        log("routes_unknown", { owner_id: ownerId, count: keys.size, error });
      }
    }),
  );
  return routes;
}

function emitterOf({ sourceId: id, ownerId }: EmissionMessage): Emitter {
  return { id, ownerId };
}

/** The deliveries of a message; null if its source was deleted, undefined if its source or routes are unavailable. */
async function passOf(
  message: EmissionMessage,
  service: Service,
): Promise<Pass | null | undefined> {
  const routes = service.routes.get(message.ownerId);
  if (!routes) return undefined;
  const emitter = emitterOf(message);
  // Most emitters have no listener, and then events need not be loaded.
  if (!routes.some((known) => matches(known, emitter))) return passWithoutSubscribers(message);
  const claim = await claimOf(message, service);
  if (!claim) return claim;
  const { events, deferred } = claim;
  const { filters, maxListeners } = service;
  const { served, ...matched } = matchEvents(events, message, { routes, filters, maxListeners });
  const positions = events.map(({ position }) => position);
  return {
    message,
    positions: positions.slice(0, served),
    deferred: [...positions.slice(served), ...deferred],
    isTooLarge: events.length === 0 && deferred.length > 0,
    hasSubscribers: true,
    ...matched,
  };
}

function passWithoutSubscribers(message: EmissionMessage): Pass {
  const { positions } = message;
  const deliveries = new Map<string, Delivery[]>();
  return {
    message,
    positions,
    deferred: [],
    isTooLarge: false,
    hasSubscribers: false,
    deliveries,
    filtered: new Map(),
    continueAfter: undefined,
  };
}

/**
 * Deliver all passes, each listener's events in as few calls as possible. Resolves to the listeners that refused
 * theirs.
 */
async function deliverAll(
  passes: readonly (Pass | null | undefined)[],
  deps: RouterDeps,
): Promise<Set<string>> {
  const byListener = new Map<string, Delivery[]>();
  for (const pass of passes)
    for (const [id, deliveries] of pass?.deliveries ?? [])
      listOf(byListener, id).push(...deliveries);
  const failed = new Set<string>();
  const calls = { deps, within: bytesAtMost(BATCH_BYTES), listeners: byListener.size };
  await Promise.all(
    [...byListener].map(async ([id, deliveries]) => {
      if (!(await isTaken(id, deliveries, calls))) failed.add(id);
    }),
  );
  logHandovers([
    ...[...byListener].map(([id, deliveries]) => {
      const outcome = failed.has(id) ? "refused" : "taken";
      return { id, deliveries, outcome } as const;
    }),
    ...passes.flatMap((pass) => filteredIn(pass)),
  ]);
  return failed;
}

function filteredIn(pass: Pass | null | undefined): Handover[] {
  const filtered = [...(pass?.filtered ?? [])];
  return filtered.map(([id, deliveries]) => ({ id, deliveries, outcome: "filtered" }));
}

/** The deps, the limit of bytes in calls, and the number of listeners of a batch. */
type Calls = { deps: RouterDeps; within: ReturnType<typeof bytesAtMost>; listeners: number };

async function isTaken(
  id: string,
  deliveries: Delivery[],
  { deps, within, listeners }: Calls,
): Promise<boolean> {
  try {
    // Sequentially, so that the events of a listener stay in order.
    for (const call of chunksOf(deliveries, bytesOf)) {
      const bytes = call.reduce((sum, delivery) => sum + bytesOf(delivery), 0);
      if (!(await within(bytes, () => deps.deliver(id, call, listeners)))) return false;
    }
    return true;
  } catch (error) {
    const [{ requestId: request_id } = {}] = deliveries;
    log("listener_failed", { request_id, listener_id: id, count: deliveries.length, error });
    return false;
  }
}

function bytesOf({ payload }: Delivery): number {
  return maxWireBytes(payload);
}

/** Acknowledge the events that every listener has, and retry the rest of a message. */
async function settle(pass: Pass, failed: Set<string>, deps: RouterDeps): Promise<void> {
  const { message, positions, deferred, hasSubscribers, deliveries, continueAfter } = pass;
  const { sourceId, shard } = message;
  if (deferred.length > 0) await deps.send({ ...message, positions: deferred });
  if (continueAfter !== undefined) {
    // The last pass acknowledges for all, so the next one begins only when this one has reached all listeners.
    if (!reaches(pass, failed)) await deps.send({ ...message, positions, after: continueAfter });
    return;
  }
  const late = new Set<Position>();
  for (const [id, own] of deliveries)
    if (failed.has(id)) for (const { position } of own) late.add(position);
  const reached = positions.filter((position) => !late.has(position));
  if (reached.length > 0)
    await deps.acknowledge(shardName(sourceId, shard), reached, hasSubscribers);
}

function reaches({ deliveries }: Pass, listeners: Set<string>): boolean {
  return [...deliveries.keys()].some((id) => listeners.has(id));
}

function listOf(lists: Map<string, Delivery[]>, id: string): Delivery[] {
  const list = lists.get(id) ?? [];
  lists.set(id, list);
  return list;
}

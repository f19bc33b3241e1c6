import type { Claim, Delivery } from "../domain/deliveries.ts";
import { eventId, type Position } from "../domain/event-ids.ts";
import type { EmissionMessage } from "../domain/messages.ts";
import { type Emitter, hears, listenersOf, type Route } from "../domain/routes.ts";
import { log } from "../telemetry/log.ts";
import { tellOf } from "./telling.ts";

/** How many listeners one pass serves; the rest is served by a message of its own. */
const LISTENERS_PER_PASS = 500;

/** What the router needs of the platform around it. */
export type Exchange = {
  /** Read events from a source's outbox; null when the source is gone. */
  claim(sourceId: string, positions: Position[]): Promise<Claim | null>;
  /** All subscriptions that could match events of these emitters, in one round trip. */
  routes(emitters: readonly Emitter[]): Promise<Route[]>;
  /** Hand events to a listener durably. False: it has no room for them now. */
  deliver(listenerId: string, deliveries: Delivery[]): Promise<boolean>;
  /** Tell a source that its events are delivered; `isHeard`: whether anybody listens to it. */
  acknowledge(sourceId: string, positions: Position[], isHeard: boolean): Promise<void>;
  send(message: EmissionMessage): Promise<void>;
};

/** What of one message goes out now, by listener; and the last of them, when more come after. */
type Pass = {
  message: EmissionMessage;
  /** The events to acknowledge once their listeners have them, and those to ask for again. */
  positions: Position[];
  deferred: Position[];
  isHeard: boolean;
  deliveries: Map<string, Delivery[]>;
  continueAfter: string | undefined;
};

/**
 * Bring the events of a batch of messages to their listeners. Resolves, message by message, to whether it is
 * settled; one that is not must come again, and whoever has its events already drops them then.
 */
export async function route(
  messages: readonly EmissionMessage[],
  exchange: Exchange,
): Promise<boolean[]> {
  const routes = await routesOf(messages, exchange);
  const passes = await Promise.all(messages.map((message) => passOf(message, routes, exchange)));
  const failed = await deliverAll(passes, exchange);
  return Promise.all(
    passes.map(async (pass) => {
      if (!pass) return pass === null;
      await settle(pass, failed, exchange);
      return !reaches(pass, failed);
    }),
  );
}

/** The events of a message; null when their source is gone, undefined when it could not be asked. */
async function claimOf(
  { sourceId, positions }: EmissionMessage,
  exchange: Exchange,
): Promise<Claim | null | undefined> {
  try {
    return await exchange.claim(sourceId, positions);
  } catch (error) {
    log("emitter_unreachable", { emitter_id: sourceId, count: positions.length, error });
    return undefined;
  }
}

function routesOf(messages: readonly EmissionMessage[], exchange: Exchange): Promise<Route[]> {
  const emitters = new Map(messages.map((message) => [message.sourceId, emitterOf(message)]));
  return exchange.routes([...emitters.values()]);
}

function emitterOf({ sourceId: id, ownerId }: EmissionMessage): Emitter {
  return { id, ownerId };
}

/** What a message asks for; null when its source is gone, undefined when it could not be asked. */
async function passOf(
  message: EmissionMessage,
  routes: readonly Route[],
  exchange: Exchange,
): Promise<Pass | null | undefined> {
  const { sourceId, after = "" } = message;
  const emitter = emitterOf(message);
  // Most emitters have no listener, and then the events themselves are not needed.
  if (!routes.some((known) => hears(known, emitter))) return unheard(message);
  const claim = await claimOf(message, exchange);
  if (!claim) return claim;
  const all = new Map<string, Delivery[]>();
  for (const event of claim.events) {
    const delivery = { ...event, emitterId: sourceId, eventId: eventId(event.position) };
    for (const id of listenersOf(emitter, event.channel, routes)) listOf(all, id).push(delivery);
  }
  const waiting = [...all.keys()].filter((id) => id > after).toSorted();
  const served = waiting.slice(0, LISTENERS_PER_PASS);
  return {
    message,
    positions: claim.events.map(({ position }) => position),
    deferred: claim.deferred,
    isHeard: true,
    deliveries: new Map(served.map((id) => [id, listOf(all, id)])),
    continueAfter: waiting.length > served.length ? served.at(-1) : undefined,
  };
}

function unheard(message: EmissionMessage): Pass {
  const { positions } = message;
  const deliveries = new Map<string, Delivery[]>();
  return { message, positions, deferred: [], isHeard: false, deliveries, continueAfter: undefined };
}

/** Deliver all passes, each listener's events in one call. Resolves to the listeners that did not take theirs. */
async function deliverAll(
  passes: readonly (Pass | null | undefined)[],
  exchange: Exchange,
): Promise<Set<string>> {
  const byListener = new Map<string, Delivery[]>();
  for (const pass of passes)
    for (const [id, deliveries] of pass?.deliveries ?? [])
      listOf(byListener, id).push(...deliveries);
  const failed = new Set<string>();
  await Promise.all(
    [...byListener].map(async ([id, deliveries]) => {
      if (!(await isTaken(id, deliveries, exchange))) failed.add(id);
    }),
  );
  tellOf(byListener, failed);
  return failed;
}

async function isTaken(id: string, deliveries: Delivery[], exchange: Exchange): Promise<boolean> {
  try {
    return await exchange.deliver(id, deliveries);
  } catch (error) {
    const [{ requestId: request_id } = {}] = deliveries;
    log("listener_failed", { request_id, listener_id: id, count: deliveries.length, error });
    return false;
  }
}

/** Acknowledge what every listener has, and see to what is left of a message. */
async function settle(pass: Pass, failed: Set<string>, exchange: Exchange): Promise<void> {
  const { message, positions, deferred, isHeard, deliveries, continueAfter } = pass;
  const { sourceId, ownerId } = message;
  if (deferred.length > 0) await exchange.send({ sourceId, ownerId, positions: deferred });
  if (continueAfter !== undefined) {
    // The last pass acknowledges for all, so the next one begins only when this one has reached everybody.
    if (!reaches(pass, failed))
      await exchange.send({ sourceId, ownerId, positions, after: continueAfter });
    return;
  }
  const late = new Set<Position>();
  for (const [id, own] of deliveries)
    if (failed.has(id)) for (const { position } of own) late.add(position);
  const reached = positions.filter((position) => !late.has(position));
  if (reached.length > 0) await exchange.acknowledge(sourceId, reached, isHeard);
}

function reaches({ deliveries }: Pass, listeners: Set<string>): boolean {
  return [...deliveries.keys()].some((id) => listeners.has(id));
}

function listOf(lists: Map<string, Delivery[]>, id: string): Delivery[] {
  const list = lists.get(id) ?? [];
  lists.set(id, list);
  return list;
}

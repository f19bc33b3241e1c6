import { ALERT_CHANNEL, DEFAULT_CHANNEL, ERROR_CHANNEL } from "./channels.ts";
import { isEmittedSince, type Position } from "./event-ids.ts";

/** A source or workflow with its owner. */
export type Emitter = { id: string; ownerId: string };

/** A subscription as the router reads it: `emitterId` is an id, a glob (`dc_*`, `p_*`) or an owner's id. */
export type Route = {
  emitterId: string;
  ownerId: string;
  channel: string;
  listenerId: string;
  /** An expression that events must match; null: all do. */
  filter: string | null;
  /** The millisecond since which it applies; absent in caches of earlier releases: always. */
  sinceMs?: number;
};

/** The routes of an owner's subscriptions: their owner, and the emitter that they name. */
export type RouteKey = Pick<Route, "ownerId" | "emitterId">;

/** Instead of an emitter: all subscriptions of an owner. */
export const ALL_EMITTERS = "*";

/** The names of an emitter in subscriptions: its id, the glob of its kind, or its owner. */
export function routeKeysOf({ id, ownerId }: Emitter): string[] {
  return [id, `${id.slice(0, id.indexOf("_"))}_*`, ownerId];
}

type RoutedEvent = { channel: string; position: Position };

/** The possible listeners of an event, by id, with filters, one of which it must match; null: no filter. */
export type Candidates = Map<string, readonly string[] | null>;

/**
 * The possible listeners of an event, each once, even if several subscriptions match (docs/contract.md: Subscriptions).
 */
export function candidatesOf(
  emitter: Emitter,
  event: RoutedEvent,
  routes: readonly Route[],
): Candidates {
  const candidates: Candidates = new Map();
  for (const route of routes) {
    if (!leadsFrom(route, emitter, event)) continue;
    const { listenerId, filter } = route;
    const known = candidates.get(listenerId);
    if (filter === null) candidates.set(listenerId, null);
    else if (known !== null) candidates.set(listenerId, [...(known ?? []), filter]);
  }
  return candidates;
}

function leadsFrom(route: Route, emitter: Emitter, { channel, position }: RoutedEvent): boolean {
  if (route.channel !== channel || !isEmittedSince(position, route.sinceMs)) return false;
  return matches(route, emitter) && !isEcho(route, emitter, channel);
}

/** Whether a subscription matches an emitter, on any channel. */
export function matches({ emitterId, ownerId, channel }: Route, emitter: Emitter): boolean {
  if (emitterId === emitter.id) return true;
  if (isGlob(emitterId))
    return ownerId === emitter.ownerId && emitter.id.startsWith(emitterId.slice(0, -1));
  // All errors or alerts of an owner.
  return emitterId === emitter.ownerId && isOwnersChannel(channel);
}

/** A glob matches its own listener too; a source's events on the default channel must not trigger that source again. */
function isEcho({ listenerId }: Route, emitter: Emitter, channel: string): boolean {
  return listenerId === emitter.id && channel === DEFAULT_CHANNEL;
}

/** Whether listeners may subscribe to all emitters of an owner together on a channel. */
export function isOwnersChannel(channel: string): boolean {
  return channel === ERROR_CHANNEL || channel === ALERT_CHANNEL;
}

function isGlob(emitterId: string): boolean {
  return emitterId.endsWith("_*");
}

import { MAX_RUNS_PER_TRIGGER, shareOf } from "#domain/chains.ts";
import type { ClaimedEvent, Delivery } from "#domain/deliveries.ts";
import { eventId } from "#domain/event-ids.ts";
import { fromJson } from "#domain/json.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { candidatesOf, type Candidates, type Route } from "#domain/routes.ts";

import type { BatchFilters, Judge } from "./filtering.ts";

/** The deliveries that routes and filters select from the events of a message. */
export type Matches = {
  /** The number of processed events, from the first on; the others wait for a later batch. */
  served: number;
  deliveries: Map<string, Delivery[]>;
  /** The events that the filters of each listener exclude. */
  filtered: Map<string, Delivery[]>;
  /** The last served listener, if more follow. */
  continueAfter: string | undefined;
};

/** `maxListeners`: the maximum of one pass; another message serves the rest. */
type Input = { routes: readonly Route[]; filters: BatchFilters; maxListeners: number };

/** An event, its candidate listeners, and the matcher of their filters. */
type Routed = { event: ClaimedEvent; candidates: Candidates; judge: Judge };

/**
 * The events that a listener receives, by index; `stoppedAt`: the event at which the owner's share of work was used up.
 */
type ListenerMatch = { receives: number[]; filtered: number[]; stoppedAt: number | undefined };

/**
 * Match events to listeners, listener by listener in the order of their ids. When the filters have used up their share
 * of work, later passes do the rest: the remaining listeners or, if none was reached, the remaining events.
 */
export function matchEvents(
  claimed: readonly ClaimedEvent[],
  message: EmissionMessage,
  { routes, filters, maxListeners }: Input,
): Matches {
  const { sourceId: id, ownerId, after } = message;
  const routed = claimed.map((event): Routed => {
    const candidates = candidatesOf({ id, ownerId }, event, routes);
    return { event, candidates, judge: filters.judgeOf(event, message) };
  });
  const listeners = listenersAfter(after, routed);
  const mayEvaluate = (): boolean => filters.mayEvaluate(ownerId);
  const matched = matchAll(routed, { listeners, maxListeners }, mayEvaluate);
  const { events, byListener, isComplete } = matched;
  const isWhole = isComplete && after === undefined;
  return {
    served: events.length,
    ...deliveriesOf(events, id, { byListener, isWhole }),
    continueAfter: isComplete ? undefined : [...byListener.keys()].at(-1),
  };
}

/** The current matches of listeners, their events, and whether these are all listeners. */
type Matched = {
  events: readonly Routed[];
  byListener: Map<string, ListenerMatch>;
  isComplete: boolean;
};

function matchAll(
  all: readonly Routed[],
  { listeners, maxListeners }: { listeners: readonly string[]; maxListeners: number },
  mayEvaluate: () => boolean,
): Matched {
  const byListener = new Map<string, ListenerMatch>();
  let events = all;
  let receiving = 0;
  for (const listener of listeners) {
    if (receiving === maxListeners) return { events, byListener, isComplete: false };
    const match = matchListener(listener, events, mayEvaluate);
    const isFirst = byListener.size === 0;
    if (match.stoppedAt !== undefined && !isFirst) return { events, byListener, isComplete: false };
    events = events.slice(0, match.stoppedAt);
    byListener.set(listener, match);
    if (match.receives.length > 0) receiving += 1;
  }
  return { events, byListener, isComplete: true };
}

function listenersAfter(after: string | undefined, events: readonly Routed[]): string[] {
  const all = new Set(events.flatMap(({ candidates }) => [...candidates.keys()]));
  return [...all].filter((listener) => listener > (after ?? "")).toSorted();
}

function matchListener(
  listener: string,
  events: readonly Routed[],
  mayEvaluate: () => boolean,
): ListenerMatch {
  const match: ListenerMatch = { receives: [], filtered: [], stoppedAt: undefined };
  for (const [index, { candidates, judge }] of events.entries()) {
    const filters = candidates.get(listener);
    if (filters === undefined) continue;
    if (filters !== null && !mayEvaluate()) return { ...match, stoppedAt: index };
    if (filters === null || filters.some(judge)) match.receives.push(index);
    else match.filtered.push(index);
  }
  return match;
}

/**
 * The deliveries of events by listener. The receivers of an event share its budget of runs; until all of them are
 * known, a share is reserved for every candidate.
 */
function deliveriesOf(
  events: readonly Routed[],
  emitterId: string,
  { byListener, isWhole }: { byListener: ReadonlyMap<string, ListenerMatch>; isWhole: boolean },
): Pick<Matches, "deliveries" | "filtered"> {
  const [deliveries, filtered]: [Matches["deliveries"], Matches["filtered"]] = [
    new Map(),
    new Map(),
  ];
  const own = events.map(({ event }): Delivery => {
    const { meta, ...rest } = event;
    const replayOf = meta && fromJson(meta).replay_of;
    return {
      ...rest,
      emitterId,
      eventId: eventId(rest.position),
      ...(replayOf !== undefined && { replayOf }),
    };
  });
  const sharing = sharesOf(events, isWhole ? byListener : undefined);
  for (const [listener, match] of byListener) {
    const received = match.receives.flatMap((index) => {
      const [delivery, share] = [own[index], sharing[index]];
      return delivery ? [{ ...delivery, budget: share?.(listener, delivery.budget) }] : [];
    });
    if (received.length > 0) deliveries.set(listener, received);
    const held = match.filtered.flatMap((index) => own[index] ?? []);
    if (held.length > 0) filtered.set(listener, held);
  }
  return { deliveries, filtered };
}

type Share = (listener: string, budget: number | undefined) => number;

/** The shares of each event's budget. Unless all listeners are matched, candidates count as receivers. */
function sharesOf(
  events: readonly Routed[],
  byListener: ReadonlyMap<string, ListenerMatch> | undefined,
): Share[] {
  const receiving = events.map(({ candidates }) =>
    byListener ? [] : [...candidates.keys()].toSorted(),
  );
  for (const [listener, { receives }] of byListener ?? [])
    for (const index of receives) receiving[index]?.push(listener);
  return receiving.map((listeners) => {
    const places = new Map(listeners.map((listener, place) => [listener, place]));
    return (listener, budget = MAX_RUNS_PER_TRIGGER) =>
      shareOf(budget, listeners.length, places.get(listener) ?? 0);
  });
}

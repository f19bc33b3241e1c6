import { eventCursorList, passes } from "#domain/agent-events.ts";
import { invalidInput, type RequestError } from "#domain/errors.ts";
import { millisecondsOf, positionOf } from "#domain/event-ids.ts";
import { type EventSummary, HISTORY_LENGTH } from "#domain/events.ts";
import type { Filter } from "#domain/filters.ts";
import type { Id } from "#domain/ids.ts";
import { type Json, valueOf } from "#domain/json.ts";
import { eventOf } from "#domain/page.ts";

import type { AppContext } from "../context.ts";
import type { AgentContext } from "./context.ts";
import type { EventSource } from "./shared-sources/share.ts";

/** Maximum size of the payloads that are read at a time, in characters, unless the first event alone is larger. */
const MAX_LENGTH = 1_000_000;

type Sources = Pick<AppContext, "sources">;

type Cursors = Pick<AgentContext, "owner" | "vault">;

/** Events of a source after a position in its history. */
export type HistoryQuery = {
  /** Event id, exclusive. */
  after: string;
  /** Leaves out older events. */
  maxAgeMs: number | undefined;
  /** Maximum events. */
  limit: number;
  filter: Filter | undefined;
};

export type HistoryPart = {
  /** Whole and oldest first. */
  events: EventSummary[];
  /** The id of the last event that was read: the next query continues after it. */
  reached: string;
  hasMore: boolean;
  /** Whether events after the position may have been left out. */
  truncated: boolean;
};

/** The cursor from which a client resumes after an event of an event type. */
export function cursorAfter(
  { vault, owner }: Cursors,
  name: string,
  eventId: string,
): Promise<string> {
  return vault.sealCursor({ kind: "event", id: eventId }, eventCursorList(owner, name));
}

/** The event id in a cursor of an event type; undefined: without a cursor, from now on. */
export async function eventIdIn(
  { vault, owner }: Cursors,
  { name, cursor }: { name: string; cursor: string | undefined },
): Promise<string | undefined> {
  if (cursor === undefined) return undefined;
  const eventId = await vault.openCursor(cursor, eventCursorList(owner, name), eventOf);
  if (eventId === undefined) throw badCursor();
  return eventId;
}

export function badCursor(): RequestError {
  return invalidInput([{ path: "cursor", message: "must be one that this method returned" }]);
}

/** The place of now in the history of a source: that of its newest event, or of its beginning. */
export async function placeOfNow(
  { sources }: Sources,
  { id, sinceMs }: Pick<EventSource, "id" | "sinceMs">,
): Promise<string> {
  const { events } = await sources(id).events({ limit: 1, channel: "", expand: false });
  return events[0]?.id ?? `${sinceMs}-0`;
}

/** Whether a source was not there yet at a place, so that events after it may have been left out. */
export function isBefore(place: string, { sinceMs }: Pick<EventSource, "sinceMs">): boolean {
  return millisecondsOf(positionOf(place) ?? 0) < sinceMs;
}

/** The events of a source's default channel after a position, as far as they are stored and fit into one part. */
export async function eventsAfter(
  ctx: Sources,
  id: Id<"source">,
  { after, maxAgeMs, ...query }: HistoryQuery,
): Promise<HistoryPart> {
  const { events, totalCount, isCut } = await ctx.sources(id).events({
    limit: HISTORY_LENGTH,
    before: after,
    channel: "",
    expand: false,
  });
  const known = events.toReversed();
  const recent = notOlderThan(known, maxAgeMs);
  const { found, looked } = await pick(ctx, id, { ...query, recent });
  // Events that are too old are skipped for good; the next query returns the rest of those after them.
  const passed = known.slice(0, known.length - recent.length + looked);
  const isForgotten =
    (totalCount >= HISTORY_LENGTH || isCut === true) && known.length === totalCount;
  return {
    events: found,
    reached: passed.at(-1)?.id ?? after,
    hasMore: looked < recent.length,
    truncated: isForgotten || recent.length < known.length,
  };
}

/** The payloads of some of the last events of a source, as far as they are short. */
export async function lastPayloads(
  { sources }: Sources,
  id: Id<"source">,
  limit: number,
): Promise<Json[]> {
  const { events } = await sources(id).events({ limit, channel: "", expand: false });
  return events.flatMap(({ truncated, payload }) => (truncated ? [] : [valueOf(payload)]));
}

function notOlderThan(events: EventSummary[], maxAgeMs: number | undefined): EventSummary[] {
  if (maxAgeMs === undefined) return events;
  const oldestMs = Date.now() - maxAgeMs;
  return events.filter(({ indexedAtMs }) => indexedAtMs >= oldestMs);
}

type Picking = Pick<HistoryQuery, "filter" | "limit"> & { recent: readonly EventSummary[] };

/**
 * As many whole events as one part carries; `looked`: the number of those read, including excluded and deleted ones.
 */
async function pick(
  ctx: Sources,
  id: Id<"source">,
  { filter, limit, recent }: Picking,
): Promise<{ found: EventSummary[]; looked: number }> {
  const found: EventSummary[] = [];
  let looked = 0;
  let room = MAX_LENGTH;
  for (const event of recent) {
    if (found.length >= limit) break;
    const whole = await wholeEvent(ctx, id, event);
    room -= whole.length;
    if (room < 0 && looked > 0) break;
    looked += 1;
    found.push(...whole.events.filter((one) => passes(filter, id, one)));
  }
  return { found, looked };
}

/** An event with its whole payload, and the payload's length; none: it was deleted meanwhile. */
async function wholeEvent(
  { sources }: Sources,
  id: Id<"source">,
  event: EventSummary,
): Promise<{ events: EventSummary[]; length: number }> {
  const events = event.truncated ? (await sources(id).eventsAt([event.id], true)).events : [event];
  return { events, length: events[0]?.payload.length ?? 0 };
}

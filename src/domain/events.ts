import { MAX_CALL_BYTES, maxWireBytes } from "./wire-size.ts";

/** Number of events of each channel that an emitter keeps (docs/contract.md: Sizes). */
export const HISTORY_LENGTH = 100;

/** Maximum bytes of the events that an emitter keeps for readers, of all channels together. */
export const MAX_HISTORY_BYTES = 2 ** 26;

/** The query for an emitter's events. */
export type EventQuery = {
  limit: number;
  /** Event ids, exclusive. At most one of the two. */
  after?: string | undefined;
  before?: string | undefined;
  /** One channel; undefined: default and custom channels, never `$…`. */
  channel?: string | undefined;
  /** Whole payloads rather than ones cut to 1 KB. */
  expand: boolean;
};

/** An event as readers see it (docs/contract.md: Event summaries). */
export type EventSummary = {
  id: string;
  indexedAtMs: number;
  /** JSON text, cut to size unless expanded. */
  payload: string;
  truncated: boolean;
  channel: string;
  emitId: string;
  meta: EventMeta;
};

/** The metadata argument of `$emit`. */
export type EventMeta = {
  id?: string | undefined;
  summary?: string | undefined;
  ts?: number | undefined;
  /** Of a resent event: the emit id of the first one. */
  replay_of?: string | undefined;
};

/** Events of one call, newest first, and the ids of the remaining ones, for the next call. */
export type EventPart = { events: EventSummary[]; rest: string[] };

/**
 * The beginning of a page, and the length of the whole list. `isCut`: whether older events of its channels were dropped
 * because all took too many bytes; absent: not, or not known.
 */
export type EventPage = EventPart & { totalCount: number; isCut?: boolean };

/**
 * One part of the events that several objects returned for the same ids, in their order: up to the first event that one of them
 * has deferred to the next call, and as many as fit into one call, at least one.
 */
export function mergedPart(ids: readonly string[], parts: readonly EventPart[]): EventPart {
  const found = new Map(parts.flatMap(({ events }) => events.map((event) => [event.id, event])));
  const left = new Set(parts.flatMap(({ rest }) => rest.slice(0, 1)));
  const events: EventSummary[] = [];
  let room = MAX_CALL_BYTES;
  for (const [index, id] of ids.entries()) {
    const event = found.get(id);
    room -= event ? maxWireBytes(event.payload) + maxWireBytes(JSON.stringify(event.meta)) : 0;
    if (left.has(id) || (room < 0 && events.length > 0)) return { events, rest: ids.slice(index) };
    if (event) events.push(event);
  }
  return { events, rest: [] };
}

/** Both ends inclusive, either absent. */
export type EventRange = {
  startId?: string | undefined;
  endId?: string | undefined;
  channel?: string | undefined;
};

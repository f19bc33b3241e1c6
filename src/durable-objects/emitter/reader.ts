import { EMITS } from "#domain/channels.ts";
import { eventId, type Position, positionOf } from "#domain/event-ids.ts";
import {
  type EventPage,
  type EventPart,
  type EventQuery,
  type EventSummary,
  HISTORY_LENGTH,
} from "#domain/events.ts";
import { MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";

import { DROPPED } from "./eviction.ts";
import { type Row, summaryOf } from "./rows.ts";

/** Reads an emitter's events for its owner and the readers of its streams. */
export class EventReader {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** The beginning of a page of visible events, newest first: at most the last hundred that match. */
  page(query: EventQuery): EventPage {
    const window = this.window(query.channel);
    const part = this.part(idsInPage(window, query), query.expand);
    return { ...part, totalCount: window.length, isCut: this.isCut(window, query.channel) };
  }

  /** Whether older events than those of a window were dropped because all took too many bytes. */
  isCut(window: readonly Position[], channel: string | undefined): boolean {
    if (window.length === HISTORY_LENGTH) return false;
    const [selection, bindings] = selectionOf(channel);
    const dropped = `SELECT 1 FROM events WHERE hidden = ${DROPPED} AND ${selection} LIMIT 1`;
    return this.#sql.exec(dropped, ...bindings).toArray().length > 0;
  }

  /** The positions of the last hundred visible events of a channel up to a position, newest first. */
  window(channel: string | undefined, upTo: Position = Number.MAX_SAFE_INTEGER): Position[] {
    const [selection, bindings] = selectionOf(channel);
    const rows = this.#sql.exec<{ position: Position }>(
      `SELECT position FROM events WHERE hidden = 0 AND ${selection} AND position <= ?
       ORDER BY position DESC LIMIT ${HISTORY_LENGTH}`,
      ...bindings,
      upTo,
    );
    return rows.toArray().map(({ position }) => position);
  }

  /** The first of these events, as many as fit into one call, at least one, in their order; and the rest. */
  part(ids: readonly string[], expand: boolean, maxBytes: number = MAX_CALL_BYTES): EventPart {
    const positions = ids.map((id) => positionOf(id) ?? 0);
    const isRising = (positions[0] ?? 0) < (positions.at(-1) ?? 0);
    const rows = this.#sql.exec<Row>(
      `SELECT position, channel, emit_id, meta, payload FROM events
       WHERE hidden = 0 AND position IN (SELECT value FROM json_each(?))
       ORDER BY position ${isRising ? "ASC" : "DESC"}`,
      JSON.stringify(positions),
    );
    const events: EventSummary[] = [];
    let room = maxBytes;
    for (const row of rows) {
      const summary = summaryOf(row, expand);
      room -= maxWireBytes(summary.payload) + maxWireBytes(row.meta);
      if (room < 0 && events.length > 0)
        return { events, rest: ids.slice(ids.indexOf(summary.id)) };
      events.push(summary);
    }
    return { events, rest: [] };
  }

  /** The events after a position, whole and oldest first, as many as fit into one call; and whether these are all. */
  missed(last: Position, channels: readonly string[]): { events: EventSummary[]; isAll: boolean } {
    const named = channels.map((channel) => (channel === EMITS ? undefined : channel));
    const windows = (named.length === 0 ? [undefined] : named).map((one) => this.window(one));
    const missed = new Set(windows.flat().filter((position) => position > last));
    const { events, rest } = this.part(idsOf([...missed].toSorted((a, b) => a - b)), true);
    return { events, isAll: rest.length === 0 };
  }

  /** Events at these positions, whole, for readers of streams. */
  summaries(positions: readonly Position[]): EventSummary[] {
    return this.#sql
      .exec<Row>(
        `SELECT position, channel, emit_id, meta, payload FROM events
         WHERE position IN (SELECT value FROM json_each(?)) ORDER BY position`,
        JSON.stringify(positions),
      )
      .toArray()
      .map((row) => summaryOf(row, true));
  }

  /** All events after one position, up to another, as many as fit into one call; also delayed ones. Oldest first. */
  span([after, upTo]: readonly [Position, Position]): EventPart {
    const rows = this.#sql.exec<{ position: Position }>(
      "SELECT position FROM events WHERE hidden = 0 AND position > ? AND position <= ? ORDER BY position",
      after,
      upTo,
    );
    return this.part(idsOf(rows.toArray().map(({ position }) => position)), true);
  }
}

/** The ids of the events of a page, of the positions of all of them, newest first. */
export function idsInPage(
  window: readonly Position[],
  { limit, after, before }: Pick<EventQuery, "limit" | "after" | "before">,
): string[] {
  const [first, last] = [bound(after, Number.MAX_SAFE_INTEGER), bound(before, -1)];
  const within = window.filter((position) => position < first && position > last);
  return idsOf(before === undefined ? within.slice(0, limit) : within.slice(-limit));
}

/** The condition for events of a channel, or of all but the platform's own. */
export function selectionOf(channel: string | undefined): [string, string[]] {
  return channel === undefined ? ["substr(channel, 1, 1) <> '$'", []] : ["channel = ?", [channel]];
}

function idsOf(positions: readonly Position[]): string[] {
  return positions.map((position) => eventId(position));
}

/** The position of an event id. */
export function bound(id: string | undefined, otherwise: number): number {
  return id === undefined ? otherwise : (positionOf(id) ?? otherwise);
}

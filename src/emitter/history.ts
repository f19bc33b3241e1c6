import { UNIQUE_CAPACITY, type Remembered } from "../domain/dedupe.ts";
import { type Claim, MOST_HOPS } from "../domain/deliveries.ts";
import { millisecondsOf, nextPosition, type Position, positionOf } from "../domain/event-ids.ts";
import type { EventPage, EventQuery, EventRange, EventSummary } from "../domain/events.ts";
import { Eviction, HISTORY_LENGTH } from "./eviction.ts";
import { type Row, summaryOf } from "./rows.ts";

/** How many characters of payload one claim hands over: well under what an RPC may carry. */
const CLAIM_LENGTH = 8 * 1024 * 1024;

/** An event on its way into the history. `dueMs` and `target`: it stands on `$in` until then, and goes there. */
export type NewEvent = {
  channel: string;
  emitId: string;
  payload: string;
  /** JSON text of what `$emit` was given beside the event. */
  meta: string;
  /** How many emitters the event has come through. */
  hops: number;
  dedupeId?: string | undefined;
  delayed?: { dueMs: number; target: string };
  /** On the first event of a run of a source: how long that took. */
  runMs?: number;
  /** What it began with, for those who follow an event through the log. */
  requestId?: string | undefined;
};

/** Where an event comes from, as its row tells. */
type Origin = { hops: number; request_id: string | null };

const COLUMNS =
  "position, channel, emit_id, dedupe_id, undelivered, due_ms, target, hops, meta, payload, request_id";
const INSERT = `INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_METERED = `INSERT INTO events (${COLUMNS}, run_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** Everything a source or a workflow emitted and still has to keep: for readers, for the outbox, for dedupe. */
export class EventHistory {
  readonly #sql: SqlStorage;
  readonly #eviction: Eviction;
  #last: Position | undefined;

  /** `beforeEviction` is called where rows are about to go, in the transaction in which they do. */
  constructor(sql: SqlStorage, beforeEviction: () => void = () => {}) {
    this.#sql = sql;
    this.#eviction = new Eviction(sql, beforeEviction);
  }

  /** Append events in order. Returns the positions of those that are now to be delivered. */
  append(events: readonly NewEvent[], nowMs: number): Position[] {
    const toDeliver: Position[] = [];
    for (const event of events) {
      const position = this.#insert(event, nowMs);
      if (goesOut(event)) toDeliver.push(position);
    }
    this.#eviction.appended(events.length);
    return toDeliver;
  }

  #insert(event: NewEvent, nowMs: number): Position {
    const { channel, emitId, payload, meta, hops, dedupeId, delayed, runMs, requestId } = event;
    const position = this.#next(nowMs);
    const { dueMs, target } = delayed ?? { dueMs: null, target: null };
    const row = [
      position,
      channel,
      emitId,
      dedupeId ?? null,
      goesOut(event) ? 1 : 0,
      dueMs,
      target,
      hops,
      meta,
      payload,
      requestId ?? null,
    ];
    if (runMs === undefined) this.#sql.exec(INSERT, ...row);
    else this.#sql.exec(INSERT_METERED, ...row, runMs);
    return position;
  }

  #next(nowMs: number): Position {
    this.#last = nextPosition(this.newest(), nowMs);
    return this.#last;
  }

  /** The position of the newest event; 0 where there is none. */
  newest(): Position {
    this.#last ??=
      this.#sql.exec<{ last: number | null }>("SELECT max(position) AS last FROM events").one()
        .last ?? 0;
    return this.#last;
  }

  /** Forget what a failed transaction may have taken back. */
  reset(): void {
    this.#last = undefined;
  }

  /** A page of what readers may see, newest first: at most the last hundred of what they ask for. */
  page({ limit, after, before, channel, expand }: EventQuery): EventPage {
    const [window, bindings] = windowOf(channel);
    const { count } = this.#sql
      .exec<{ count: number }>(`SELECT count(*) AS count FROM (${window})`, ...bindings)
      .one();
    const rows = this.#sql
      .exec<Row>(
        `SELECT * FROM (${window}) WHERE position < ? AND position > ?
         ORDER BY position ${before === undefined ? "DESC" : "ASC"} LIMIT ?`,
        ...bindings,
        bound(after, Number.MAX_SAFE_INTEGER),
        bound(before, -1),
        limit,
      )
      .toArray();
    if (before !== undefined) rows.reverse();
    return { events: rows.map((row) => summaryOf(row, expand)), totalCount: count };
  }

  /** Events at these positions, whole, for those who follow the emitter. */
  summaries(positions: readonly Position[]): EventSummary[] {
    const at = "position IN (SELECT value FROM json_each(?))";
    return this.#whole(at, JSON.stringify(positions));
  }

  /** All that came after one position, up to another, whole; also what is delayed. Oldest first. */
  span([after, upTo]: readonly [Position, Position]): EventSummary[] {
    return this.#whole("hidden = 0 AND position > ? AND position <= ?", after, upTo);
  }

  #whole(condition: string, ...bindings: (string | number)[]): EventSummary[] {
    return this.#sql
      .exec<Row>(
        `SELECT position, channel, emit_id, meta, payload FROM events
         WHERE ${condition} ORDER BY position`,
        ...bindings,
      )
      .toArray()
      .map((row) => summaryOf(row, true));
  }

  /** Hide a range from every reader at once. What still has to be delivered keeps its payload until it is. */
  hide({ startId, endId, channel }: EventRange): void {
    const [selection, bindings] = selectionOf(channel);
    this.#sql.exec(
      `UPDATE events SET hidden = 1, due_ms = NULL, payload = CASE undelivered WHEN 1 THEN payload ELSE '' END
       WHERE ${selection} AND hidden = 0 AND position >= ? AND position <= ?`,
      ...bindings,
      bound(startId, 0),
      bound(endId, Number.MAX_SAFE_INTEGER),
    );
  }

  /** Read events from the outbox, as many as fit one answer; the rest is told back as deferred. */
  claim(positions: readonly Position[]): Claim {
    const rows = this.#sql.exec<Row & Origin>(
      `SELECT position, channel, emit_id, hops, payload, request_id FROM events
       WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?)) ORDER BY position`,
      JSON.stringify(positions),
    );
    const claim: Claim = { events: [], deferred: [] };
    let length = 0;
    for (const { position, channel, emit_id: emitId, hops, payload, request_id } of rows) {
      const requestId = request_id ?? undefined;
      length += payload.length;
      if (claim.events.length > 0 && length > CLAIM_LENGTH) claim.deferred.push(position);
      else claim.events.push({ position, channel, emitId, hops, payload, requestId });
    }
    return claim;
  }

  /** Every listener has these: they leave the outbox. */
  acknowledge(positions: readonly Position[]): void {
    // First, so that what goes now is not written once more before.
    this.#eviction.acknowledging(positions);
    this.#sql.exec(
      `UPDATE events SET undelivered = 0, payload = CASE hidden WHEN 1 THEN '' ELSE payload END
       WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?))`,
      JSON.stringify(positions),
    );
  }

  /** What is still in the outbox and was emitted before `beforeMs`, oldest first. */
  undelivered(beforeMs: number, limit: number): Position[] {
    return this.#sql
      .exec<{ position: Position }>(
        "SELECT position FROM events WHERE undelivered = 1 AND position < ? ORDER BY position LIMIT ?",
        beforeMs * 1000,
        limit,
      )
      .toArray()
      .map(({ position }) => position);
  }

  /** When the oldest event in the outbox was emitted, epoch milliseconds. */
  oldestUndeliveredMs(): number | undefined {
    const [oldest] = this.undelivered(Number.MAX_SAFE_INTEGER / 1000, 1);
    return oldest === undefined ? undefined : millisecondsOf(oldest);
  }

  /** When the next delayed event is due, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>("SELECT min(due_ms) AS due FROM events WHERE due_ms NOT NULL")
        .one().due ?? undefined
    );
  }

  /** Move delayed events that are due to their channels. Returns the positions that are now to be delivered. */
  promote(nowMs: number): Position[] {
    const due = this.#sql
      .exec<Row & Origin & { target: string }>(
        "SELECT * FROM events WHERE due_ms <= ? ORDER BY due_ms, position",
        nowMs,
      )
      .toArray();
    return due.flatMap(({ position, target, emit_id: emitId, hops, meta, payload, request_id }) => {
      // What stays behind remembers the id for dedupe, nothing else.
      this.#sql.exec(
        "UPDATE events SET hidden = 1, due_ms = NULL, payload = '' WHERE position = ?",
        position,
      );
      const event = { channel: target, emitId, payload, hops, meta };
      return this.append([{ ...event, requestId: request_id ?? undefined }], nowMs);
    });
  }

  /** The ids that `unique` dedupe remembers, oldest first. */
  uniqueIds(): Remembered[] {
    return this.#sql
      .exec<{ id: string; position: Position }>(
        "SELECT dedupe_id AS id, position FROM events WHERE dedupe_id NOT NULL ORDER BY position DESC LIMIT ?",
        UNIQUE_CAPACITY,
      )
      .toArray()
      .map(({ id, position }) => ({ id, atMs: millisecondsOf(position) }))
      .toReversed();
  }
}

/** Whether an event is to be delivered: one that has gone as far as it may is kept for readers, and goes no further. */
function goesOut({ delayed, hops }: NewEvent): boolean {
  return delayed === undefined && hops <= MOST_HOPS;
}

function selectionOf(channel: string | undefined): [string, string[]] {
  return channel === undefined ? ["substr(channel, 1, 1) <> '$'", []] : ["channel = ?", [channel]];
}

function windowOf(channel: string | undefined): [string, (string | number)[]] {
  const [selection, bindings] = selectionOf(channel);
  const sql = `SELECT position, channel, emit_id, meta, payload FROM events
    WHERE hidden = 0 AND ${selection} ORDER BY position DESC LIMIT ${HISTORY_LENGTH}`;
  return [sql, bindings];
}

function bound(id: string | undefined, otherwise: number): number {
  return id === undefined ? otherwise : (positionOf(id) ?? otherwise);
}

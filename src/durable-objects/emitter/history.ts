import { UNIQUE_CAPACITY, type Remembered } from "#domain/dedupe.ts";
import { type Claim, MAX_HOPS } from "#domain/deliveries.ts";
import { millisecondsOf, nextPosition, type Position, positionOf } from "#domain/event-ids.ts";
import type { EventMeta, EventRange } from "#domain/events.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";
import { MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";

import { Acknowledgements } from "./acknowledgements.ts";
import { Eviction } from "./eviction.ts";
import { NamedChannels } from "./named-channels.ts";
import { OutboxBacklog } from "./outbox-backlog.ts";
import { bound, EventReader, selectionOf } from "./reader.ts";
import type { Row } from "./rows.ts";

/** An event to append. With `dueMs` and `target` it is on `$in` until then, and moves to that channel. */
export type NewEvent = {
  channel: string;
  emitId: string;
  payload: string;
  /** The metadata passed to `$emit` beside the event. */
  meta: JsonOf<EventMeta>;
  /** The number of emitters that the event has passed. */
  hops: number;
  /** The number of runs that it may cause; absent: the maximum of a trigger. */
  budget?: number | undefined;
  dedupeId?: string | undefined;
  delayed?: { dueMs: number; target: string };
  /** On the first event of a source's run: the duration of the run. */
  runMs?: number;
  /** Beside it: whether the run failed. */
  isRunFailed?: boolean;
  /** The id of the first request or tick, to trace it in the log. */
  requestId?: string | undefined;
};

/** The origin of an event, by its row. */
type Origin = { hops: number; budget: number | null; request_id: string | null };

const COLUMNS =
  "position, channel, emit_id, dedupe_id, undelivered, due_ms, target, hops, budget, meta, payload, request_id";
const INSERT = `INSERT INTO events (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const INSERT_METERED = `INSERT INTO events (${COLUMNS}, run_ms, run_failed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The stored events of a source or a workflow: for readers, for the outbox, for dedupe. */
export class EventHistory {
  readonly reader: EventReader;
  readonly acknowledgements: Acknowledgements;
  readonly channels: NamedChannels;
  readonly backlog: OutboxBacklog;
  readonly #sql: SqlStorage;
  readonly #eviction: Eviction;
  #last: Position | undefined;
  #lane: number | undefined;
  #floor: Position = 0;

  /** `beforeEviction` is called when rows up to a position are about to be deleted or dropped, in the same transaction. */
  constructor(sql: SqlStorage, beforeEviction: (newest: Position) => void = () => {}) {
    this.#sql = sql;
    this.reader = new EventReader(sql);
    this.channels = new NamedChannels(sql);
    this.backlog = new OutboxBacklog(sql);
    this.#eviction = new Eviction(sql, (newest) => {
      this.channels.reset();
      beforeEviction(newest);
    });
    this.acknowledgements = new Acknowledgements(sql, this.#eviction);
  }

  /** Append events in order. Returns the positions of those that are now to be delivered. */
  append(events: readonly NewEvent[], nowMs: number): Position[] {
    const toDeliver: Position[] = [];
    for (const event of events) {
      const position = this.#insert(event, nowMs);
      this.channels.add(event.delayed?.target ?? event.channel);
      if (isDeliverable(event)) toDeliver.push(position);
    }
    this.#eviction.appended(events.length);
    return toDeliver;
  }

  #insert(event: NewEvent, nowMs: number): Position {
    const { channel, emitId, payload, meta, hops, budget, dedupeId, delayed, runMs, requestId } =
      event;
    const position = this.#next(nowMs);
    const { dueMs, target } = delayed ?? { dueMs: null, target: null };
    const row = [
      position,
      channel,
      emitId,
      dedupeId ?? null,
      isDeliverable(event) ? 1 : 0,
      dueMs,
      target,
      hops,
      budget ?? null,
      meta,
      payload,
      requestId ?? null,
    ];
    if (runMs === undefined) this.#sql.exec(INSERT, ...row);
    else this.#sql.exec(INSERT_METERED, ...row, runMs, event.isRunFailed ? 1 : null);
    return position;
  }

  #next(nowMs: number): Position {
    this.#last = nextPosition(Math.max(this.newest(), this.#floor), nowMs, this.#lane);
    return this.#last;
  }

  /** Use positions of one lane from now on, after `floor`: other objects use the other lanes. */
  useLane(lane: number, floor: Position = 0): void {
    this.#lane = lane;
    this.advance(floor);
  }

  /** Emit no event at this position or before. Only in memory. */
  advance(position: Position): void {
    this.#floor = Math.max(this.#floor, position);
  }

  /** The position of the newest event; 0 if there is none. */
  newest(): Position {
    this.#last ??=
      this.#sql.exec<{ last: number | null }>("SELECT max(position) AS last FROM events").one()
        .last ?? 0;
    return this.#last;
  }

  /** Drop cached state that a failed transaction may have rolled back. */
  reset(): void {
    this.#last = undefined;
    this.channels.reset();
  }

  /** Hide a range from every reader at once. Undelivered events keep their payload until they are delivered. */
  hide({ startId, endId, channel }: EventRange): void {
    this.channels.reset();
    const [selection, bindings] = selectionOf(channel);
    this.#sql.exec(
      `UPDATE events SET hidden = 1, due_ms = NULL, payload = CASE undelivered WHEN 1 THEN payload ELSE '' END
       WHERE ${selection} AND hidden = 0 AND position >= ? AND position <= ?`,
      ...bindings,
      bound(startId, 0),
      bound(endId, Number.MAX_SAFE_INTEGER),
    );
  }

  /**
   * Read events from the outbox, as many as fit `maxBytes` of a call; the rest is returned as deferred. A claim that
   * may fill a call has at least one event, whatever its size.
   */
  claim(positions: readonly Position[], maxBytes: number = MAX_CALL_BYTES): Claim {
    const rows = this.#sql.exec<Row & Origin>(
      `SELECT position, channel, emit_id, hops, budget, meta, payload, request_id FROM events
       WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?)) ORDER BY position`,
      JSON.stringify(positions),
    );
    const events: Claim["events"] = [];
    let room = maxBytes;
    for (const { position, channel, emit_id: emitId, meta, payload, ...origin } of rows) {
      room -= maxWireBytes(payload + meta);
      const isLone = events.length === 0 && maxBytes >= MAX_CALL_BYTES;
      if (room < 0 && !isLone)
        return { events, deferred: this.#undeliveredFrom(position, positions) };
      events.push({ position, channel, emitId, meta, payload, ...originOf(origin) });
    }
    return { events, deferred: [] };
  }

  /** The positions, of some, that are in the outbox, from one of them on. Reads no payload. */
  #undeliveredFrom(position: Position, positions: readonly Position[]): Position[] {
    return this.#sql
      .exec<{ position: Position }>(
        `SELECT position FROM events
         WHERE undelivered = 1 AND position >= ? AND position IN (SELECT value FROM json_each(?))
         ORDER BY position`,
        position,
        JSON.stringify(positions),
      )
      .toArray()
      .map((row) => row.position);
  }

  /** The events in the outbox that were emitted before `beforeMs`, oldest first. */
  undelivered(beforeMs: number, limit: number): Position[] {
    return this.#sql
      .exec<{ position: Position }>(
        `SELECT position FROM events WHERE undelivered = 1 AND position < ?
           AND position NOT IN (SELECT value FROM json_each(?)) ORDER BY position LIMIT ?`,
        beforeMs * 1000,
        this.acknowledgements.deferred(),
        limit,
      )
      .toArray()
      .map(({ position }) => position);
  }

  /** The time of the oldest event in the outbox, epoch milliseconds. */
  oldestUndeliveredMs(): number | undefined {
    // With acknowledgements in memory too: a crash would lose them.
    const { oldest } = this.#sql
      .exec<{ oldest: Position | null }>(
        "SELECT min(position) AS oldest FROM events WHERE undelivered = 1",
      )
      .one();
    return oldest === null ? undefined : millisecondsOf(oldest);
  }

  /** The due time of the next delayed event, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>("SELECT min(due_ms) AS due FROM events WHERE due_ms NOT NULL")
        .one().due ?? undefined
    );
  }

  /** Move due delayed events to their channels. Returns the positions that are now to be delivered. */
  promote(nowMs: number): Position[] {
    const due = this.#sql
      .exec<Row & Origin & { target: string }>(
        "SELECT * FROM events WHERE due_ms <= ? ORDER BY due_ms, position",
        nowMs,
      )
      .toArray();
    return due.flatMap(({ position, target, emit_id: emitId, meta, payload, ...origin }) => {
      // The remaining row only keeps the id for dedupe.
      this.#sql.exec(
        "UPDATE events SET hidden = 1, due_ms = NULL, payload = '' WHERE position = ?",
        position,
      );
      const event = { channel: target, emitId, payload, meta, ...originOf(origin) };
      return this.append([event], nowMs);
    });
  }

  /**
   * Append an event again, as the start of a new chain: for all current listeners, without dedupe, under an emit id of
   * its own. Returns its position; undefined: readers see no such event.
   */
  replay(id: string, nowMs: number, requestId?: string): Position | undefined {
    const [row] = this.#sql
      .exec<Row>(
        "SELECT position, channel, emit_id, meta, payload FROM events WHERE hidden = 0 AND position = ?",
        positionOf(id) ?? 0,
      )
      .toArray();
    if (!row) return undefined;
    const { channel, payload } = row;
    const meta = fromJson(row.meta);
    const first = meta.replay_of ?? row.emit_id;
    const [position] = this.append(
      [
        {
          channel,
          payload,
          emitId: crypto.randomUUID(),
          meta: toJson<EventMeta>({ ...meta, replay_of: first }),
          hops: 1,
          requestId,
        },
      ],
      nowMs,
    );
    return position;
  }

  /** The ids that `unique` dedupe keeps, oldest first. */
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

/** Do all of `write` or nothing. Rethrows its error; then its appended events are not cached either. */
export function inTransaction<T>(
  { storage, history }: { storage: DurableObjectStorage; history: EventHistory },
  write: () => T,
): T {
  try {
    return storage.transactionSync(write);
  } catch (error) {
    history.reset();
    throw error;
  }
}

function originOf({
  hops,
  budget,
  request_id,
}: Origin): Pick<NewEvent, "hops" | "budget" | "requestId"> {
  return { hops, budget: budget ?? undefined, requestId: request_id ?? undefined };
}

/** Whether an event is to be delivered: one at the end of its chain is kept for readers only. */
function isDeliverable({ delayed, hops, budget }: NewEvent): boolean {
  return delayed === undefined && hops <= MAX_HOPS && budget !== 0;
}

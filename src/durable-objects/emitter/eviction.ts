import { UNIQUE_CAPACITY } from "#domain/dedupe.ts";
import type { Position } from "#domain/event-ids.ts";
import { HISTORY_LENGTH, MAX_HISTORY_BYTES } from "#domain/events.ts";

/** Number of appended rows between two searches for old ones: the search runs with the next acknowledgement, … */
const INTERVAL = 128;

/** … or without one, after this many such intervals, … */
const MAX_INTERVALS = 8;

/** … or once the storage of a large history has grown by so many bytes. */
const MAX_GROWTH_BYTES = 2 ** 24;

/** In `hidden`: the event was dropped because all took too many bytes. Else 0, or 1 for a hidden one. */
export const DROPPED = 2;

type Unneeded = { position: Position; isRemembered: number };

/** Deletes event rows that no reader, listener or dedupe needs, at intervals: each search costs a scan. */
export class Eviction {
  readonly #sql: SqlStorage;
  readonly #before: (newest: Position) => void;
  #rowsLeft = 0;
  #searchedBytes = MAX_HISTORY_BYTES;

  /** `before` is called when rows up to a position are about to be deleted or dropped, in the same transaction. */
  constructor(sql: SqlStorage, before: (newest: Position) => void) {
    this.#sql = sql;
    this.#before = before;
  }

  /** Count appended rows. */
  appended(count: number): void {
    this.#rowsLeft -= count;
    const hasGrown = this.#sql.databaseSize > this.#searchedBytes + MAX_GROWTH_BYTES;
    if (hasGrown || this.#rowsLeft <= -MAX_INTERVALS * INTERVAL) this.#evict([]);
  }

  /**
   * These rows are about to be acknowledged, `count` of them by the latest call: those that are not needed then may be
   * deleted instead. Returns whether it searched.
   */
  acknowledging(positions: readonly Position[], count: number): boolean {
    // A full outbox stops runs, so that appended rows would not lead to the next search.
    if (this.#isLarge()) this.#rowsLeft -= count;
    if (this.#rowsLeft > 0) return false;
    this.#evict(positions);
    return true;
  }

  #isLarge(): boolean {
    return this.#sql.databaseSize > MAX_HISTORY_BYTES;
  }

  #evict(acknowledged: readonly Position[]): void {
    const unneeded = this.#unneeded(acknowledged);
    const newest = unneeded.at(-1)?.position;
    if (newest !== undefined) {
      this.#before(newest);
      const [remembered, others] = [1, 0].map((flag) =>
        JSON.stringify(
          unneeded.filter((row) => row.isRemembered === flag).map(({ position }) => position),
        ),
      );
      const among = "WHERE position IN (SELECT value FROM json_each(?))";
      this.#sql.exec(`DELETE FROM events ${among}`, others);
      this.#sql.exec(
        `UPDATE events SET hidden = ${DROPPED}, undelivered = 0, payload = '' ${among}`,
        remembered,
      );
    }
    const { kept } = this.#sql.exec<{ kept: number }>("SELECT count(*) AS kept FROM events").one();
    // With a long outbox every search is long, so searches become rarer as it grows.
    this.#rowsLeft = Math.max(this.#isLarge() ? 1 : INTERVAL, Math.floor(kept / 4));
    this.#searchedBytes = Math.max(MAX_HISTORY_BYTES, this.#sql.databaseSize);
  }

  /**
   * The rows that are not needed once these are acknowledged, oldest first; `isRemembered`: those of dropped events that
   * stay without their payload, for dedupe or as the newest dropped one of their channel. If all events take too many
   * bytes, each channel keeps as many of its newest ones as the others.
   */
  #unneeded(acknowledged: readonly Position[]): Unneeded[] {
    return this.#sql
      .exec<Unneeded>(
        `WITH ranked AS (
           SELECT position, channel, undelivered, due_ms, hidden, dedupe_id, octet_length(payload) AS bytes,
             row_number() OVER (PARTITION BY channel, hidden ORDER BY position DESC) AS rank,
             count(dedupe_id) OVER (ORDER BY position DESC) AS ids,
             max(position) OVER () AS newest
           FROM events),
         summed AS (
           SELECT *, sum(bytes) OVER (PARTITION BY hidden ORDER BY rank, position DESC) AS total FROM ranked),
         unneeded AS (
           SELECT position, channel, hidden, rank, dedupe_id, ids,
             hidden = 0 AND rank <= ? AND total > ? AS is_dropped
           FROM summed
           WHERE (undelivered = 0 OR position IN (SELECT value FROM json_each(?)))
             AND due_ms IS NULL AND position < newest AND (hidden > 0 OR rank > ? OR total > ?))
         SELECT position, is_dropped AND (dedupe_id NOT NULL AND ids <= ? OR
             position = max(iif(is_dropped, position, 0)) OVER (PARTITION BY channel)) AS isRemembered
         FROM unneeded
         WHERE is_dropped OR (dedupe_id IS NULL OR ids > ?) AND (hidden <> ${DROPPED} OR rank > 1)
         ORDER BY position`,
        HISTORY_LENGTH,
        MAX_HISTORY_BYTES,
        JSON.stringify(acknowledged),
        HISTORY_LENGTH,
        MAX_HISTORY_BYTES,
        UNIQUE_CAPACITY,
        UNIQUE_CAPACITY,
      )
      .toArray();
  }
}

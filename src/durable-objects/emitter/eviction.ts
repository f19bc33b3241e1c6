import { UNIQUE_CAPACITY } from "#domain/dedupe.ts";
import type { Position } from "#domain/event-ids.ts";
import { HISTORY_LENGTH } from "#domain/events.ts";

/** Number of appended rows between two searches for old ones: the search runs with the next acknowledgement, … */
const INTERVAL = 128;

/** … or without one, after this many such intervals. */
const MAX_INTERVALS = 8;

/** Deletes event rows that no reader, listener or dedupe needs, at intervals: each search costs a scan. */
export class Eviction {
  readonly #sql: SqlStorage;
  readonly #before: (newest: Position) => void;
  #rowsLeft = 0;

  /** `before` is called when rows up to a position are about to be deleted, in the same transaction. */
  constructor(sql: SqlStorage, before: (newest: Position) => void) {
    this.#sql = sql;
    this.#before = before;
  }

  /** Count appended rows. */
  appended(count: number): void {
    this.#rowsLeft -= count;
    if (this.#rowsLeft <= -MAX_INTERVALS * INTERVAL) this.#evict([]);
  }

  /** These rows are about to be acknowledged: those that are not needed then may be deleted instead. Returns whether it searched. */
  acknowledging(positions: readonly Position[]): boolean {
    if (this.#rowsLeft > 0) return false;
    this.#evict(positions);
    return true;
  }

  #evict(acknowledged: readonly Position[]): void {
    const positions = this.#unneeded(acknowledged);
    const newest = positions.at(-1);
    if (newest !== undefined) {
      this.#before(newest);
      this.#sql.exec(
        "DELETE FROM events WHERE position IN (SELECT value FROM json_each(?))",
        JSON.stringify(positions),
      );
    }
    const { kept } = this.#sql.exec<{ kept: number }>("SELECT count(*) AS kept FROM events").one();
    // With a long outbox every search is long, so searches become rarer as it grows.
    this.#rowsLeft = Math.max(INTERVAL, Math.floor(kept / 4));
  }

  /** The rows that are not needed once these are acknowledged, oldest first. */
  #unneeded(acknowledged: readonly Position[]): Position[] {
    return this.#sql
      .exec<{ position: Position }>(
        `SELECT position FROM (
           SELECT position, undelivered, due_ms, hidden, dedupe_id,
             row_number() OVER (PARTITION BY channel, hidden ORDER BY position DESC) AS rank,
             count(dedupe_id) OVER (ORDER BY position DESC) AS ids,
             max(position) OVER () AS newest
           FROM events)
         WHERE (undelivered = 0 OR position IN (SELECT value FROM json_each(?)))
           AND due_ms IS NULL AND position < newest
           AND (hidden = 1 OR rank > ?) AND (dedupe_id IS NULL OR ids > ?)
         ORDER BY position`,
        JSON.stringify(acknowledged),
        HISTORY_LENGTH,
        UNIQUE_CAPACITY,
      )
      .toArray()
      .map(({ position }) => position);
  }
}

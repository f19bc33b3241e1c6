import { UNIQUE_CAPACITY } from "#domain/dedupe.ts";
import type { Position } from "#domain/event-ids.ts";
import { HISTORY_LENGTH } from "#domain/events.ts";

/** How many appended rows pass before the old ones are looked for: when the next are acknowledged, … */
const INTERVAL = 128;

/** … or, where nothing is, when as many again have been appended so often. */
const MAX_INTERVALS = 8;

/** Drops the event rows that no reader, listener or dedupe needs, now and then: each look at them costs a scan. */
export class Eviction {
  readonly #sql: SqlStorage;
  readonly #before: () => void;
  #rowsLeft = 0;

  /** `before` is called where rows are about to go, in the transaction in which they do. */
  constructor(sql: SqlStorage, before: () => void) {
    this.#sql = sql;
    this.#before = before;
  }

  /** So many rows were appended. */
  appended(count: number): void {
    this.#rowsLeft -= count;
    if (this.#rowsLeft <= -MAX_INTERVALS * INTERVAL) this.#evict([]);
  }

  /** These rows are about to be acknowledged: those that nobody needs then may go instead. */
  acknowledging(positions: readonly Position[]): void {
    if (this.#rowsLeft <= 0) this.#evict(positions);
  }

  #evict(acknowledged: readonly Position[]): void {
    this.#before();
    this.#sql.exec(
      `DELETE FROM events WHERE position IN (
         SELECT position FROM (
           SELECT position, undelivered, due_ms, hidden, dedupe_id,
             row_number() OVER (PARTITION BY channel, hidden ORDER BY position DESC) AS rank,
             count(dedupe_id) OVER (ORDER BY position DESC) AS ids,
             max(position) OVER () AS newest
           FROM events)
         WHERE (undelivered = 0 OR position IN (SELECT value FROM json_each(?)))
           AND due_ms IS NULL AND position < newest
           AND (hidden = 1 OR rank > ?) AND (dedupe_id IS NULL OR ids > ?))`,
      JSON.stringify(acknowledged),
      HISTORY_LENGTH,
      UNIQUE_CAPACITY,
    );
    const { kept } = this.#sql.exec<{ kept: number }>("SELECT count(*) AS kept FROM events").one();
    // With a long outbox every look is long, so looks become rarer as it grows.
    this.#rowsLeft = Math.max(INTERVAL, Math.floor(kept / 4));
  }
}

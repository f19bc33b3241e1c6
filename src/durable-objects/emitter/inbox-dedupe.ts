import type { Position } from "#domain/event-ids.ts";

/** Time for which the id of a received event is kept: a later repetition counts as a new event. */
const MEMORY_MS = 3 * 24 * 3600 * 1000;

/** An event of another emitter, by its place there. */
export type Arrival = { emitterId: string; position: Position };

/** The received events of other emitters: each runs once, however often it is delivered. */
export class InboxDedupe {
  readonly #sql: SqlStorage;
  // Under way, and not yet recorded.
  readonly #begun = new Set<string>();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Claim an arrival for its run. False: it was received before. */
  begin(arrival: Arrival): boolean {
    const key = keyOf(arrival);
    if (this.#begun.has(key) || this.#isRecorded(arrival)) return false;
    this.#begun.add(key);
    return true;
  }

  /** Record an arrival, in the transaction that makes it durable. */
  record(arrival: Arrival): void {
    const { position, emitterId } = arrival;
    this.#sql.exec(
      "INSERT OR IGNORE INTO arrivals (position, emitter_id) VALUES (?, ?)",
      position,
      emitterId,
    );
    this.#begun.delete(keyOf(arrival));
  }

  /** Release an arrival with an uncommitted run. */
  release(arrival: Arrival): void {
    this.#begun.delete(keyOf(arrival));
  }

  /** Delete records that are older than any retry. */
  prune(nowMs: number): void {
    this.#sql.exec("DELETE FROM arrivals WHERE position < ?", (nowMs - MEMORY_MS) * 1000);
  }

  #isRecorded({ position, emitterId }: Arrival): boolean {
    return (
      this.#sql
        .exec("SELECT 1 FROM arrivals WHERE position = ? AND emitter_id = ?", position, emitterId)
        .toArray().length > 0
    );
  }
}

function keyOf({ position, emitterId }: Arrival): string {
  return `${position}:${emitterId}`;
}

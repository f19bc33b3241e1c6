import type { Position } from "#domain/event-ids.ts";

import type { Eviction } from "./eviction.ts";

/** Minimum events that are acknowledged together in a stream: most of their rows are deleted soon and need no update before. */
const IN_STREAM = 32;

/** Maximum acknowledgements in memory, and the time for which they stay there after the last one. */
const MAX_DEFERRED = 1000;
const DEFERRED_MS = 300;

/**
 * Removes acknowledged events from the outbox. Acknowledgements of a stream stay in memory for a moment: a crash repeats the
 * deliveries, and every listener drops duplicates.
 */
export class Acknowledgements {
  readonly #sql: SqlStorage;
  readonly #eviction: Eviction;
  #deferred: Position[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sql: SqlStorage, eviction: Eviction) {
    this.#sql = sql;
    this.#eviction = eviction;
  }

  acknowledge(positions: readonly Position[]): void {
    this.#deferred.push(...positions);
    // First, so that events deleted now are not rewritten before.
    if (this.#eviction.acknowledging(this.#deferred)) this.#deferred = this.#undelivered();
    if (positions.length < IN_STREAM || this.#deferred.length > MAX_DEFERRED) this.flush();
    else this.#flushLater();
  }

  /** Store all acknowledgements. */
  flush(): void {
    const positions = this.drop();
    if (positions.length === 0) return;
    this.#sql.exec(
      `UPDATE events SET undelivered = 0, payload = CASE hidden WHEN 1 THEN '' ELSE payload END
       WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?))`,
      JSON.stringify(positions),
    );
  }

  /** Discard the acknowledgements in memory. Returns their positions. */
  drop(): Position[] {
    clearTimeout(this.#timer);
    const positions = this.#deferred;
    this.#deferred = [];
    return positions;
  }

  #flushLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), DEFERRED_MS);
  }

  /** Which of the deferred events still have rows. */
  #undelivered(): Position[] {
    return this.#sql
      .exec<{ position: Position }>(
        "SELECT position FROM events WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?))",
        JSON.stringify(this.#deferred),
      )
      .toArray()
      .map(({ position }) => position);
  }
}

import type { Position } from "#domain/event-ids.ts";

import type { Eviction } from "./eviction.ts";

/** So many events acknowledged at once are of a stream: most of their rows are deleted soon, and need not be updated before. */
const IN_STREAM = 32;

/** How many acknowledgements are in memory alone, and how long they are after the last ones came. */
const MAX_DEFERRED = 1000;
const DEFERRED_MS = 300;

/**
 * Takes acknowledged events out of the outbox. Those of a stream stay in memory for a moment: a crash has them delivered
 * again, and every listener drops what it has.
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

  /** Store all that is acknowledged. */
  flush(): void {
    const positions = this.drop();
    if (positions.length === 0) return;
    this.#sql.exec(
      `UPDATE events SET undelivered = 0, payload = CASE hidden WHEN 1 THEN '' ELSE payload END
       WHERE undelivered = 1 AND position IN (SELECT value FROM json_each(?))`,
      JSON.stringify(positions),
    );
  }

  /** Store nothing: the emitter is deleted. Returns what was not stored. */
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

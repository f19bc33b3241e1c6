import type { Position } from "#domain/event-ids.ts";

import type { Eviction } from "./eviction.ts";

/** Minimum events that are acknowledged together in a stream, … */
const IN_STREAM = 32;

/** … or the maximum pause between two acknowledgements: most rows of a stream are deleted soon and need no update before. */
const STREAM_PAUSE_MS = 300;

/** Maximum acknowledgements in memory, and maximum time for which they stay there. */
const MAX_DEFERRED = 1000;
const MAX_DEFERRED_MS = 30_000;

/**
 * Removes acknowledged events from the outbox. Acknowledgements of a stream stay in memory for a moment: a crash repeats the
 * deliveries, and every listener drops duplicates.
 */
export class Acknowledgements {
  readonly #sql: SqlStorage;
  readonly #eviction: Eviction;
  #deferred: Position[] = [];
  #deferredSinceMs = 0;
  #lastMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(sql: SqlStorage, eviction: Eviction) {
    this.#sql = sql;
    this.#eviction = eviction;
  }

  acknowledge(positions: readonly Position[]): void {
    const nowMs = Date.now();
    const isStream = positions.length >= IN_STREAM || nowMs - this.#lastMs < STREAM_PAUSE_MS;
    this.#lastMs = nowMs;
    if (this.#deferred.length === 0) this.#deferredSinceMs = nowMs;
    this.#deferred.push(...positions);
    // First, so that events deleted now are not rewritten before.
    if (this.#eviction.acknowledging(this.#deferred, positions.length))
      this.#deferred = this.#undelivered();
    const isFull =
      this.#deferred.length > MAX_DEFERRED || nowMs - this.#deferredSinceMs > MAX_DEFERRED_MS;
    if (!isStream || isFull) this.flush();
    else this.#flushLater();
  }

  /** JSON of the positions of events whose acknowledgements are in memory. */
  deferred(): string {
    return JSON.stringify(this.#deferred);
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
    this.#timer = setTimeout(() => this.flush(), STREAM_PAUSE_MS);
  }

  /** The deferred events that still have rows. */
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

import type { DeliveryKey } from "#domain/delivery-ids.ts";

import type { DeliveryState } from "./contract.ts";

/** Makes deliveries with rows due again on request. */
export class Replays {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Make a delivery due, in any state. False if there is none. */
  requeue({ position, emitterId }: DeliveryKey, nowMs: number): boolean {
    const states = this.#sql
      .exec<{ state: DeliveryState }>(
        "SELECT state FROM deliveries WHERE position = ? AND emitter_id = ?",
        position,
        emitterId,
      )
      .toArray();
    if (states[0]?.state === "failed")
      this.#sql.exec(
        "UPDATE deliveries SET due_ms = ? WHERE position = ? AND emitter_id = ?",
        nowMs,
        position,
        emitterId,
      );
    this.#requeueSettled("position = ? AND emitter_id = ?", [position, emitterId], nowMs);
    return states.length > 0;
  }

  /** Make all settled deliveries of events in a range of time due. Returns their number. */
  requeueRange(fromMs: number, toMs: number, nowMs: number): number {
    return this.#requeueSettled(...inRange(fromMs, toMs), nowMs);
  }

  /** The number of settled deliveries of events in a range of time. */
  countSettled(fromMs: number, toMs: number): number {
    return this.#settledIn(...inRange(fromMs, toMs));
  }

  #settledIn(selection: string, bindings: (string | number)[]): number {
    return this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM deliveries WHERE ${settled(selection)}`,
        ...bindings,
      )
      .one().count;
  }

  #requeueSettled(selection: string, bindings: (string | number)[], nowMs: number): number {
    const count = this.#settledIn(selection, bindings);
    this.#sql.exec(
      `UPDATE deliveries SET state = 'pending', due_ms = ?, settled_ms = NULL, failures = 0 WHERE ${settled(selection)}`,
      nowMs,
      ...bindings,
    );
    return count;
  }
}

function settled(selection: string): string {
  return `${selection} AND state IN ('delivered', 'dead')`;
}

function inRange(fromMs: number, toMs: number): [string, number[]] {
  return ["position >= ? AND position < ?", [fromMs * 1000, (toMs + 1) * 1000]];
}

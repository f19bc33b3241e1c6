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

  /**
   * Make all deliveries of events in a range of time due that are settled or wait for a retry. Those that are due already
   * are about to be sent, or in flight. Returns their number.
   */
  requeueRange(fromMs: number, toMs: number, nowMs: number): number {
    const count = this.countReplayable(fromMs, toMs, nowMs);
    const [selection, bindings] = inRange(fromMs, toMs);
    this.#sql.exec(
      `UPDATE deliveries SET due_ms = ? WHERE ${selection} AND ${WAITING}`,
      nowMs,
      ...bindings,
      nowMs,
    );
    this.#requeueSettled(selection, bindings, nowMs);
    return count;
  }

  /** The number of deliveries that `requeueRange` would make due. */
  countReplayable(fromMs: number, toMs: number, nowMs: number): number {
    const [selection, bindings] = inRange(fromMs, toMs);
    return this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM deliveries WHERE ${selection} AND (${SETTLED} OR ${WAITING})`,
        ...bindings,
        nowMs,
      )
      .one().count;
  }

  #requeueSettled(selection: string, bindings: (string | number)[], nowMs: number): void {
    this.#sql.exec(
      `UPDATE deliveries SET state = 'pending', due_ms = ?, settled_ms = NULL, failures = 0
       WHERE ${selection} AND ${SETTLED}`,
      nowMs,
      ...bindings,
    );
  }
}

const SETTLED = "state IN ('delivered', 'dead')";

/** Waiting for a retry later than a moment. */
const WAITING = "state = 'failed' AND due_ms > ?";

function inRange(fromMs: number, toMs: number): [string, number[]] {
  return ["position >= ? AND position < ?", [fromMs * 1000, (toMs + 1) * 1000]];
}

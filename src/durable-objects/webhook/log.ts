import { deliveryId, type DeliveryKey, deliveryKeyOf } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";

import type { Attempt, Delivery, DeliveryPage, DeliveryQuery, DeliveryState } from "./contract.ts";

type Row = {
  position: Position;
  emitter_id: string;
  event_id: string;
  event_name: string;
  state: DeliveryState;
  due_ms: number | null;
  attempts: JsonOf<Attempt[]>;
};

/** Deliveries as their owner sees them. */
export class DeliveryLog {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** One delivery; undefined if it is unknown. */
  one({ position, emitterId }: DeliveryKey): Delivery | undefined {
    const [row] = this.#sql
      .exec<Row>(
        `SELECT position, emitter_id, event_id, event_name, state, due_ms, attempts FROM deliveries
         WHERE position = ? AND emitter_id = ?`,
        position,
        emitterId,
      )
      .toArray();
    return row && present(row);
  }

  /** The time of the last accepted event, epoch milliseconds; null: never, as far as is stored. */
  lastDeliveredMs(): number | null {
    return this.#lastAttempt("state = 'delivered'")?.atMs ?? null;
  }

  /** The last attempt of the newest delivery that failed and is not settled, or was given up. */
  lastFailure(): Attempt | undefined {
    return this.#lastAttempt("state IN ('failed', 'dead') AND attempt_count > 0");
  }

  #lastAttempt(selection: string): Attempt | undefined {
    const [row] = this.#sql
      .exec<Pick<Row, "attempts">>(
        `SELECT attempts FROM deliveries WHERE ${selection} ORDER BY position DESC LIMIT 1`,
      )
      .toArray();
    return row && fromJson(row.attempts).at(-1);
  }

  /** A page, newest first. */
  page({ limit, after, before, state }: DeliveryQuery): DeliveryPage {
    const [selection, bindings] = state === undefined ? ["TRUE", []] : ["state = ?", [state]];
    const { count } = this.#sql
      .exec<{ count: number }>(
        `SELECT count(*) AS count FROM deliveries WHERE ${selection}`,
        ...bindings,
      )
      .one();
    const order = before === undefined ? "DESC" : "ASC";
    const rows = this.#sql
      .exec<Row>(
        `SELECT position, emitter_id, event_id, event_name, state, due_ms, attempts FROM deliveries
         WHERE ${selection} AND (position, emitter_id) < (?, ?) AND (position, emitter_id) > (?, ?)
         ORDER BY position ${order}, emitter_id ${order} LIMIT ?`,
        ...bindings,
        ...bound(after, Number.MAX_SAFE_INTEGER),
        ...bound(before, -1),
        limit,
      )
      .toArray();
    if (before !== undefined) rows.reverse();
    return { deliveries: rows.map(present), totalCount: count };
  }
}

function bound(id: string | undefined, otherwise: Position): [Position, string] {
  const key = id === undefined ? undefined : deliveryKeyOf(id);
  return key ? [key.position, key.emitterId] : [otherwise, ""];
}

function present(row: Row): Delivery {
  return {
    id: deliveryId({ position: row.position, emitterId: row.emitter_id }),
    eventId: row.event_id,
    emitterId: row.emitter_id,
    eventName: row.event_name,
    state: row.state,
    attempts: fromJson(row.attempts),
    ...(row.due_ms !== null && { nextAttemptAtMs: row.due_ms }),
  };
}

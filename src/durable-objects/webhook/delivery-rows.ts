import type { DeliveryKey } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";

import type { Outgoing } from "./attempt.ts";
import type { Attempt } from "./contract.ts";

/** A delivery to send, and its earlier attempts. */
export type PendingDelivery = Outgoing & { failures: number; attempts: Attempt[] };

/** A delivery as stored. */
export type Row = {
  position: Position;
  emitter_id: string;
  event_id: string;
  emit_id: string;
  event_name: string;
  hops: number;
  budget: number | null;
  request_id: string | null;
  failures: number;
  attempt_count: number;
  attempts: JsonOf<Attempt[]>;
  payload: string;
};

export type KeyRow = Pick<Row, "position" | "emitter_id">;

export function keyOf({ position, emitter_id: emitterId }: KeyRow): DeliveryKey {
  return { position, emitterId };
}

export function owedOf(row: Row): PendingDelivery {
  return {
    ...keyOf(row),
    eventId: row.event_id,
    emitId: row.emit_id,
    eventName: row.event_name,
    hops: row.hops,
    ...(row.budget !== null && { budget: row.budget }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    payload: row.payload,
    attempt: row.attempt_count + 1,
    failures: row.failures,
    attempts: fromJson(row.attempts),
  };
}

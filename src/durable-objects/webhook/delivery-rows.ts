import type { DeliveryKey } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";
import { fromJson, type JsonOf, toJson } from "#domain/json.ts";

import type { Outgoing } from "./attempt.ts";
import type { Attempt, NewDelivery, ReceivedResponse } from "./contract.ts";

/** A delivery to send, and its earlier attempts. */
export type PendingDelivery = Outgoing & { failures: number; attempts: Attempt[] };

/** The state of a delivery after an attempt. */
export type Next = { state: "delivered" | "dead" } | { state: "failed"; dueMs: number };

/** An attempt, and its response, if there is one. */
export type Tried = { attempt: Attempt; response?: ReceivedResponse };

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

/** A repeatedly replayed delivery keeps only its last attempts. */
const MAX_ATTEMPTS = 20;

/** The columns of a delivery as it was taken, and those that an attempt changes. */
const TAKEN =
  "position, emitter_id, event_id, emit_id, event_name, hops, budget, request_id, payload";
const TRIED = "state, due_ms, settled_ms, failures, attempt_count, attempts, last_response";

export const INSERT = `INSERT OR IGNORE INTO deliveries (${TAKEN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
  RETURNING position, emitter_id`;
export const INSERT_TRIED = `INSERT INTO deliveries (${TAKEN}, ${TRIED})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
export const UPDATE_TRIED = `UPDATE deliveries SET (${TRIED}) = (?, ?, ?, ?, ?, ?, ?)
  WHERE position = ? AND emitter_id = ?`;

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

/** The values of the columns of a delivery as it was taken. */
export function takenValuesOf(delivery: NewDelivery): (string | number | null)[] {
  return [
    delivery.position,
    delivery.emitterId,
    delivery.eventId,
    delivery.emitId,
    delivery.eventName,
    delivery.hops,
    delivery.budget ?? null,
    delivery.requestId ?? null,
    delivery.payload,
  ];
}

/** The values of the columns that an attempt changes. */
export function triedValuesOf(
  { failures, attempts, attempt: count }: PendingDelivery,
  { attempt, response }: Tried,
  next: Next,
): (string | number | null)[] {
  return [
    next.state,
    next.state === "failed" ? next.dueMs : null,
    next.state === "failed" ? null : Date.now(),
    next.state === "delivered" ? failures : failures + 1,
    count,
    toJson([...attempts, attempt].slice(-MAX_ATTEMPTS)),
    response ? toJson(compact(response)) : null,
  ];
}

/** A response as stored. Most are empty, and a column of each delivery contains one. */
function compact({ headers, body, isTruncated }: ReceivedResponse): Partial<ReceivedResponse> {
  return {
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body !== "" && { body }),
    ...(isTruncated && { isTruncated }),
  };
}

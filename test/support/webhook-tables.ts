import { runInDurableObject } from "cloudflare:test";

import type { Position } from "#domain/event-ids.ts";
import { toJson } from "#domain/json.ts";
import type { NewDelivery } from "#durable-objects/webhook/contract.ts";

type Stub = DurableObjectStub<import("#durable-objects/webhook/object.ts").WebhookObject>;

type Table = "batches" | "deliveries" | "events";

/*
 * States of webhooks that no call leaves behind: those after crashes, on full disks and a long time later, and what only the
 * storage shows.
 */

function run(stub: Stub, statement: string, ...bindings: (string | number)[]): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(statement, ...bindings);
  });
}

/** Leave a delivery as a crash does after it was accepted, whether or not it was sent. */
export function leaveDelivery(
  stub: Stub,
  { position, emitterId, eventId, emitId }: NewDelivery,
): Promise<void> {
  return run(
    stub,
    `INSERT INTO deliveries (position, emitter_id, event_id, emit_id, event_name, payload)
     VALUES (?, ?, ?, ?, '', '1')`,
    position,
    emitterId,
    eventId,
    emitId,
  );
}

/** Leave a batch as a crash does after it was accepted, whether or not any of it was sent. */
export function leaveBatch(stub: Stub, deliveries: NewDelivery[]): Promise<void> {
  return run(stub, "INSERT INTO batches (deliveries) VALUES (?)", toJson(deliveries));
}

/** Leave a delivery as a crash does before the outcome of an attempt was stored. */
export function forgetOutcome(stub: Stub, position: Position): Promise<void> {
  return run(
    stub,
    "UPDATE deliveries SET state = 'pending', due_ms = NULL WHERE position = ?",
    position,
  );
}

/** Make a delivery one that settled at a time. */
export function settleAt(stub: Stub, position: Position, atMs: number): Promise<void> {
  return run(stub, "UPDATE deliveries SET settled_ms = ? WHERE position = ?", atMs, position);
}

/** Let the time of every planned retry come. */
export function makeRetriesDue(stub: Stub): Promise<void> {
  return run(stub, "UPDATE deliveries SET due_ms = ? WHERE due_ms NOT NULL", Date.now() - 1);
}

/** Leave a delivery all its retries but one. */
export function forgiveFailures(stub: Stub): Promise<void> {
  return run(stub, "UPDATE deliveries SET failures = 1");
}

/** Refuse to insert into a table, or to delete from it, as a full disk does. */
export function refuse(storage: DurableObjectStorage, write: "INSERT" | "DELETE", table: Table) {
  storage.sql.exec(
    `CREATE TRIGGER full BEFORE ${write} ON ${table} BEGIN SELECT raise(ABORT, 'full'); END`,
  );
}

/** End the refusal. */
export function refuseNoMore(storage: DurableObjectStorage): void {
  storage.sql.exec("DROP TRIGGER full");
}

/** The number of rows of a table, without a call that a user could make: those unpack batches. */
export function rowsOf(stub: Stub, table: Table): Promise<number> {
  return runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).one().count,
  );
}

/** The length of the last response of the only delivery, as stored. */
export function storedResponseLength(stub: Stub): Promise<number> {
  return runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec<{ n: number }>("SELECT length(last_response) AS n FROM deliveries").one().n,
  );
}

/** The alerts that a webhook has emitted, which only its listeners see. */
export function emittedAlerts(stub: Stub): Promise<Record<string, unknown>[]> {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ payload: string }>("SELECT payload FROM events WHERE channel = '$alerts'")
      .toArray()
      .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>),
  );
}

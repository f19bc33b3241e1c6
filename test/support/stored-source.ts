import { runInDurableObject } from "cloudflare:test";

import { isSetUp } from "#durable-objects/shared/schema.ts";

/** The tables of a source, for states that no request leads to, and for the end of work that no response shows. */
type Storage = DurableObjectStorage;

/** The number of a source's events that the router has not acknowledged. */
export function undeliveredIn(stub: DurableObjectStub): Promise<number> {
  return runInDurableObject(stub, (_, { storage }) =>
    isSetUp(storage) ? rowsIn(storage, "events WHERE undelivered = 1") : 0,
  );
}

/** The number of a source's pending runs and deliveries. */
export function pendingIn(stub: DurableObjectStub): Promise<number> {
  return runInDurableObject(
    stub,
    (_, { storage }) => rowsIn(storage, "inbox") + rowsIn(storage, "events WHERE undelivered = 1"),
  );
}

function rowsIn({ sql }: Storage, table: string): number {
  return sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
}

type History = {
  channel?: string;
  /** Whether they are in the outbox too, as during an outage of the queue. */
  isUndelivered?: boolean;
};

/** Store events of a source, JSON text each, without a run. Returns their positions. */
export async function storeEvents(
  stub: DurableObjectStub,
  payloads: readonly string[],
  { channel = "", isUndelivered = false }: History = {},
): Promise<number[]> {
  const base = Date.now() * 1000;
  await runInDurableObject(stub, (_, { storage }) => {
    for (const [index, payload] of payloads.entries())
      storage.sql.exec(
        `INSERT INTO events (position, channel, emit_id, undelivered, hops, meta, payload)
         VALUES (?, ?, ?, ?, 1, '{}', ?)`,
        base + index,
        channel,
        crypto.randomUUID(),
        Number(isUndelivered),
        payload,
      );
  });
  return payloads.map((_, index) => base + index);
}

/** Store an accepted run of a source, as a crash before the run leaves it. `event`: JSON text. */
export function storeAcceptedRun(
  stub: DurableObjectStub,
  event: string,
  runId: string,
): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(
      "INSERT INTO inbox (event, hops, attempts, run_id) VALUES (?, 0, 1, ?)",
      event,
      runId,
    );
  });
}

/** Store values in a source's `$.service.db`, text that no component of this release could store. */
export function storeInServiceDb(
  stub: DurableObjectStub,
  values: Record<string, string>,
): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    for (const [key, value] of Object.entries(values))
      storage.sql.exec("INSERT INTO service_db (key, value) VALUES (?, ?)", key, value);
  });
}

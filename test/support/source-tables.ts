import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { vi } from "vitest";

import type { Position } from "#domain/event-ids.ts";

type Stub = DurableObjectStub<import("#durable-objects/source/object.ts").SourceObject>;

/*
 * States of sources that no call leaves behind: those after crashes, on full disks and a long time later, and what only the
 * storage shows.
 */

function run(
  stub: Stub,
  statement: string,
  ...bindings: (string | number | null)[]
): Promise<void> {
  return runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec(statement, ...bindings);
  });
}

/** The number of rows of a table that fulfil a condition; undefined: there is no such table. */
function count(stub: Stub, table: string, condition = "1"): Promise<number | undefined> {
  return runInDurableObject(stub, (_, { storage: { sql } }) => {
    const tables = sql.exec("SELECT 1 FROM sqlite_schema WHERE name = ?", table).toArray();
    if (tables.length === 0) return undefined;
    return sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table} WHERE ${condition}`).one().n;
  });
}

/** The number of events in the inbox: those that wait, and those of runs that are not committed yet. */
export async function waitingEvents(stub: Stub): Promise<number> {
  return (await count(stub, "inbox")) ?? 0;
}

/** Wait until all runs of a source are committed: an event of a longer one is acknowledged before that. */
export async function runsCommitted(id: string): Promise<void> {
  const source = env.SOURCES.getByName(id);
  await vi.waitUntil(async () => (await waitingEvents(source)) === 0, { timeout: 15_000 });
}

/** The number of events in the outbox, which some listener may not have yet. */
export async function undeliveredEvents(stub: Stub): Promise<number> {
  return (await count(stub, "events", "undelivered = 1")) ?? 0;
}

/** The number of stored events of all channels; undefined: the source stores nothing. */
export function storedEvents(stub: Stub): Promise<number | undefined> {
  return count(stub, "events");
}

/** The number of a source's pending runs and deliveries. */
export async function pendingWork(stub: Stub): Promise<number> {
  return (await waitingEvents(stub)) + (await undeliveredEvents(stub));
}

/** Leave an event in the inbox as a crash during its run does. */
export async function leaveInInbox(
  stub: Stub,
  event: object,
  attempts: number,
  runId: string | null = null,
): Promise<void> {
  await run(
    stub,
    "INSERT INTO inbox (event, hops, attempts, version, run_id) VALUES (?, 0, ?, ?, ?)",
    JSON.stringify(event),
    attempts,
    env.VERSION.id,
    runId,
  );
  await evictDurableObject(stub);
}

type History = {
  channel?: string;
  /** Whether they are in the outbox too, as during an outage of the queue. */
  isUndelivered?: boolean;
};

/** Store events of a source, JSON text each, without a run. Returns their positions. */
export async function storeEvents(
  stub: Stub,
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

/** Store values in a source's `$.service.db`, text that no component of this release could store. */
export async function storeInServiceDb(stub: Stub, values: Record<string, string>): Promise<void> {
  for (const [key, value] of Object.entries(values))
    await run(stub, "INSERT INTO service_db (key, value) VALUES (?, ?)", key, value);
}

/** Leave an event in the outbox as the loss of its message does. */
export function leaveUndelivered(stub: Stub, position: Position): Promise<void> {
  return run(
    stub,
    `INSERT INTO events (position, channel, emit_id, undelivered, hops, meta, payload)
     VALUES (?, '', 'e', 1, 1, '{}', '1')`,
    position,
  );
}

/** Make all events those of another time. */
export function moveEvents(stub: Stub, atMs: number): Promise<void> {
  return run(stub, "UPDATE events SET position = 1000 * ?", atMs);
}

/** Leave all events undelivered for a minute. */
export function holdBack(stub: Stub): Promise<void> {
  return run(stub, "UPDATE events SET undelivered = 1, position = position - 60000000");
}

/** Forget which usage was reported, as a crash does before it is recorded. */
export function forgetReports(stub: Stub): Promise<void> {
  return run(stub, "UPDATE usage SET reported = 0");
}

/** The usage that a source stores, by day. */
export function storedUsage(stub: Stub): Promise<{ day: string; invocations: number }[]> {
  return runInDurableObject(stub, (_, { storage }) =>
    storage.sql
      .exec<{ day: string; invocations: number }>("SELECT day, invocations FROM usage")
      .toArray(),
  );
}

/** Refuse to store alerts, or events in the inbox, as a full disk does. */
export function refuse(stub: Stub, what: "alerts" | "inbox"): Promise<void> {
  const on = what === "inbox" ? "inbox" : "events WHEN new.channel = '$alerts'";
  return run(
    stub,
    `CREATE TRIGGER cut BEFORE INSERT ON ${on} BEGIN SELECT raise(ABORT, 'cut'); END`,
  );
}

/** End the refusal. */
export function refuseNoMore(stub: Stub): Promise<void> {
  return run(stub, "DROP TRIGGER cut");
}

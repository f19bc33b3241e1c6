import { and, asc, eq, gte, sql } from "drizzle-orm";

import type { Egress, EgressReport } from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { egressUsage } from "./schema/egress.ts";

/** Add egress to the days of its owners, atomically. */
export async function addEgress(db: Database, reports: readonly EgressReport[]): Promise<void> {
  await db
    .insert(egressUsage)
    .select(
      // Without a WHERE, SQLite parses the ON of the conflict as that of a join.
      sql`SELECT value ->> 'ownerId', value ->> 'day', value ->> 'requests', value ->> 'sentBytes',
          value ->> 'receivedBytes', value ->> 'unmeasured'
        FROM json_each(${JSON.stringify(reports)}) WHERE true`,
    )
    .onConflictDoUpdate({
      target: [egressUsage.ownerId, egressUsage.day],
      set: {
        requests: sql`${egressUsage.requests} + excluded.requests`,
        sentBytes: sql`${egressUsage.sentBytes} + excluded.sent_bytes`,
        receivedBytes: sql`${egressUsage.receivedBytes} + excluded.received_bytes`,
        unmeasured: sql`${egressUsage.unmeasured} + excluded.unmeasured`,
      },
    });
}

/** Egress of an owner's components by day, since a day; days without any are absent. */
export function egressOf(
  db: Database,
  ownerId: OwnerId,
  since: string,
): Promise<(Egress & { day: string })[]> {
  const { day, requests, sentBytes, receivedBytes, unmeasured } = egressUsage;
  return db
    .select({ day, requests, sentBytes, receivedBytes, unmeasured })
    .from(egressUsage)
    .where(and(eq(egressUsage.ownerId, ownerId), gte(day, since)))
    .orderBy(asc(day));
}

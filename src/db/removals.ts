import { asc, eq, type SQL, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { removals } from "./schema/maintenance.ts";
import type { dataStores, webhooks } from "./schema/tables.ts";

/** For a batch, before rows are deleted: record the objects to delete with them. */
export function noteRemoval(
  db: Database,
  table: typeof webhooks | typeof dataStores,
  which: SQL | undefined,
  at: number,
) {
  return db
    .insert(removals)
    .select(
      db
        .select({
          id: sql<string>`${table.id}`.as("id"),
          createdAt: sql<number>`${at}`.as("created_at"),
        })
        .from(table)
        .where(which),
    )
    .onConflictDoNothing();
}

/** Recorded deletions, oldest first. */
export async function oldestRemovals(db: Database, limit: number): Promise<string[]> {
  const rows = await db.select().from(removals).orderBy(asc(removals.createdAt)).limit(limit);
  return rows.map(({ id }) => id);
}

/** Remove the record of a deletion once its object is deleted too. */
export async function forgetRemoval(db: Database, id: string): Promise<void> {
  await db.delete(removals).where(eq(removals.id, id));
}

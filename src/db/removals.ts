import { asc, eq, type SQL, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { removals } from "./schema/maintenance.ts";
import type { dataStores, webhooks } from "./schema/tables.ts";

/** For a batch, before rows are deleted: note whose objects have to go with them. */
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

/** What was deleted, the oldest first. */
export async function oldestRemovals(db: Database, limit: number): Promise<string[]> {
  const rows = await db.select().from(removals).orderBy(asc(removals.createdAt)).limit(limit);
  return rows.map(({ id }) => id);
}

/** Its object is gone too. */
export async function forgetRemoval(db: Database, id: string): Promise<void> {
  await db.delete(removals).where(eq(removals.id, id));
}

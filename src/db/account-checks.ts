import { and, asc, eq, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { accountChecks } from "./schema/alerts.ts";

/** A source or a workflow that is to be notified that its accounts have changed. */
export type AccountCheck = typeof accountChecks.$inferSelect;

/** Subjects to notify; after failed attempts they come last. */
export function pendingAccountChecks(db: Database, limit: number): Promise<AccountCheck[]> {
  return db
    .select()
    .from(accountChecks)
    .orderBy(asc(accountChecks.changes), sql`rowid`)
    .limit(limit);
}

/** Remove a notified subject, unless its accounts have changed again meanwhile. */
export async function endAccountCheck(
  db: Database,
  { subjectId, changes }: AccountCheck,
): Promise<void> {
  await db
    .delete(accountChecks)
    .where(and(eq(accountChecks.subjectId, subjectId), eq(accountChecks.changes, changes)));
}

/** Move a subject behind the others after it could not be notified. */
export async function postponeAccountCheck(
  db: Database,
  { subjectId }: Pick<AccountCheck, "subjectId">,
): Promise<void> {
  await db
    .update(accountChecks)
    .set({ changes: sql`changes + 1` })
    .where(eq(accountChecks.subjectId, subjectId));
}

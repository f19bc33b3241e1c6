import { and, asc, eq, sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { accountChecks } from "./schema/alerts.ts";

/** A source or a workflow that is to be told that its accounts have changed. */
export type AccountCheck = typeof accountChecks.$inferSelect;

/** Those that are to be told; who could not be told so far comes last. */
export function pendingAccountChecks(db: Database, limit: number): Promise<AccountCheck[]> {
  return db
    .select()
    .from(accountChecks)
    .orderBy(asc(accountChecks.changes), sql`rowid`)
    .limit(limit);
}

/** One was told, unless its accounts have changed once more meanwhile. */
export async function endAccountCheck(
  db: Database,
  { subjectId, changes }: AccountCheck,
): Promise<void> {
  await db
    .delete(accountChecks)
    .where(and(eq(accountChecks.subjectId, subjectId), eq(accountChecks.changes, changes)));
}

/** One could not be told: it comes after the others from now on. */
export async function postponeAccountCheck(
  db: Database,
  { subjectId }: Pick<AccountCheck, "subjectId">,
): Promise<void> {
  await db
    .update(accountChecks)
    .set({ changes: sql`changes + 1` })
    .where(eq(accountChecks.subjectId, subjectId));
}

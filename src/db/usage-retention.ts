import { sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { egressUsage } from "./schema/egress.ts";
import { ownerUsage, usage } from "./schema/tables.ts";

/** How many rows one call deletes at most. */
const MAX_DELETED = 2000;

/** What was used before a day, by some owners after one, in the order of their ids. */
export type UsageStretch = { day: string; after: string; owners: number };

/** How many rows went, and after which owner to go on; null at the end. */
export type Deleted = { deleted: number; next: string | null };

/** Forget what each emitter used: its owner's totals have it. */
export function deleteEmitterUsage(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, usage, stretch);
}

/** Forget what owners used. */
export function deleteOwnerUsage(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, ownerUsage, stretch);
}

/** Forget what owners' components sent to the network. */
export function deleteEgress(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, egressUsage, stretch);
}

async function deleteBefore(
  db: Database,
  table: typeof usage | typeof ownerUsage | typeof egressUsage,
  { day, after, owners }: UsageStretch,
): Promise<Deleted> {
  // The key begins with the owner, and is all the index that there is: so it is walked from owner to owner.
  const page = sql`
    WITH RECURSIVE page(id) AS (
      SELECT min(owner_id) FROM ${table} WHERE owner_id > ${after}
      UNION ALL
      SELECT (SELECT min(owner_id) FROM ${table} WHERE owner_id > page.id) FROM page
      WHERE page.id IS NOT NULL LIMIT ${owners})`;
  const [found] = await db.all<{ length: number; last: string | null }>(
    sql`${page} SELECT count(id) AS length, max(id) AS last FROM page`,
  );
  const deleted = await db.all(sql`${page}
    DELETE FROM ${table} WHERE rowid IN (
      SELECT u.rowid FROM page JOIN ${table} AS u ON u.owner_id = page.id AND u.day < ${day}
      LIMIT ${MAX_DELETED}) RETURNING 1`);
  if (deleted.length === MAX_DELETED) return { deleted: deleted.length, next: after };
  return { deleted: deleted.length, next: found?.length === owners ? found.last : null };
}

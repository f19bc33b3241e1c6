import { type SQL, sql } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { egressUsage } from "./schema/egress.ts";
import { ownerUsage, usage } from "./schema/tables.ts";

type UsageTable = typeof usage | typeof ownerUsage | typeof egressUsage;

/** Maximum rows that one call deletes. */
const MAX_DELETED = 2000;

/** Usage before a day, of owners after a given one, ordered by id. */
export type UsageStretch = { day: string; after: string; owners: number };

/** The number of deleted rows, and the owner to continue after; null at the end. */
export type Deleted = { deleted: number; next: string | null };

/** Delete usage of emitters: the owners' totals contain it. */
export function deleteEmitterUsage(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, usage, stretch);
}

/** Delete usage of owners. */
export function deleteOwnerUsage(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, ownerUsage, stretch);
}

/** Delete egress usage of owners. */
export function deleteEgress(db: Database, stretch: UsageStretch): Promise<Deleted> {
  return deleteBefore(db, egressUsage, stretch);
}

/** The owners with usage of emitters after a given one, ordered by id. */
export async function ownersWithUsage(
  db: Database,
  { after, owners }: Pick<UsageStretch, "after" | "owners">,
): Promise<OwnerId[]> {
  const found = await db.all<{ id: OwnerId }>(
    sql`${pageOf(usage, { after, owners })} SELECT id FROM page WHERE id IS NOT NULL`,
  );
  return found.map(({ id }) => id);
}

async function deleteBefore(
  db: Database,
  table: UsageTable,
  { day, after, owners }: UsageStretch,
): Promise<Deleted> {
  const page = pageOf(table, { after, owners });
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

/** For a query: the ids of some owners as `page`; null after the last one. */
function pageOf(table: UsageTable, { after, owners }: Pick<UsageStretch, "after" | "owners">): SQL {
  // The primary key starts with the owner and is the only index, so the scan proceeds by owner.
  return sql`
    WITH RECURSIVE page(id) AS (
      SELECT min(owner_id) FROM ${table} WHERE owner_id > ${after}
      UNION ALL
      SELECT (SELECT min(owner_id) FROM ${table} WHERE owner_id > page.id) FROM page
      WHERE page.id IS NOT NULL LIMIT ${owners})`;
}

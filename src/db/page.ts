import { and, asc, desc, eq, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "#domain/ids.ts";
import type { FilteredRequest, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { contains } from "./contains.ts";
import { ownedCounts } from "./schema/derived.ts";

/** The condition and the order that find the rows of a page, nearest to its cursor first. */
export function pageBounds(
  seq: SQLiteColumn | SQL,
  { after, before }: PageRequest,
): { within: SQL | undefined; order: SQL } {
  if (before !== undefined) return { within: sql`${seq} > ${before}`, order: asc(seq) };
  return { within: after === undefined ? undefined : sql`${seq} < ${after}`, order: desc(seq) };
}

/** The condition of rows with a text in one of these columns, and active or not; undefined: no filter. */
export function filterOf(
  table: { active?: SQLiteColumn },
  texts: readonly SQLiteColumn[],
  { q = "", active }: Pick<FilteredRequest, "q" | "active">,
): SQL | undefined {
  return and(
    q === "" ? undefined : or(...texts.map((column) => contains(column, q))),
    active === undefined || !table.active ? undefined : eq(table.active, active),
  );
}

/** For a batch: the number of an owner's resources of a kind; no row if there never was one. */
export function countOf(db: Database, owner: OwnerId, kind: OwnedKind) {
  return db
    .select({ count: ownedCounts.count })
    .from(ownedCounts)
    .where(and(eq(ownedCounts.ownerId, owner), eq(ownedCounts.kind, kind)));
}

type OwnedKind = (typeof ownedCounts.$inferSelect)["kind"];

/** Rows that `pageBounds` found, in list order. */
export function newestFirst<T>(rows: T[], { before }: PageRequest): T[] {
  return before === undefined ? rows : rows.toReversed();
}

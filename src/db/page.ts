import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "#domain/ids.ts";
import type { PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { ownedCounts } from "./schema/derived.ts";

/** The condition and the order that find the rows of a page, nearest to its cursor first. */
export function pageBounds(
  seq: SQLiteColumn | SQL,
  { after, before }: PageRequest,
): { within: SQL | undefined; order: SQL } {
  if (before !== undefined) return { within: sql`${seq} > ${before}`, order: asc(seq) };
  return { within: after === undefined ? undefined : sql`${seq} < ${after}`, order: desc(seq) };
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

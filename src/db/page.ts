import { asc, desc, gt, lt, type SQL } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { PageRequest } from "../domain/page.ts";

/** The condition and the order that find the rows of a page, nearest to its cursor first. */
export function pageBounds(
  seq: SQLiteColumn,
  { after, before }: PageRequest,
): { within: SQL | undefined; order: SQL } {
  if (before !== undefined) return { within: gt(seq, before), order: asc(seq) };
  return { within: after === undefined ? undefined : lt(seq, after), order: desc(seq) };
}

/** Rows that `pageBounds` found, in the order that every list has. */
export function newestFirst<T>(rows: T[], { before }: PageRequest): T[] {
  return before === undefined ? rows : rows.toReversed();
}

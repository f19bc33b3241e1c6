import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";

/** drizzle gets no schema, because it would process it at every connect; queries name their tables. */
export function connect(d1: D1Database) {
  return drizzle(d1);
}

export type Database = ReturnType<typeof connect>;

/** Check whether the database responds; throws if not. */
export async function probe(db: Database): Promise<void> {
  await db.run(sql`SELECT 1`);
}

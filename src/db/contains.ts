import { type Column, type SQL, sql } from "drizzle-orm";

/** Whether a column contains a text, case-insensitive (ASCII). */
export function contains(column: Column | SQL, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}

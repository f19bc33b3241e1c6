import { type Column, type SQL, sql } from "drizzle-orm";

/** Whether a column has a text in it, upper or lower case alike (ASCII). */
export function contains(column: Column | SQL, text: string): SQL {
  return sql`instr(lower(${column}), lower(${text})) > 0`;
}

type Table = "routes" | "route_changes" | "usage_reports" | "delivery_reports";

/** The number of rows of a table in the storage of an owner's object, which no call shows; undefined: there is none. */
export function rowsIn({ sql }: DurableObjectStorage, table: Table): number | undefined {
  const tables = sql.exec("SELECT 1 FROM sqlite_schema WHERE name = ?", table).toArray();
  if (tables.length === 0) return undefined;
  return sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
}

/** Forget all reports of emitters. */
export function clearReports({ sql }: DurableObjectStorage): void {
  sql.exec("DELETE FROM usage_reports");
}

/** The webhooks whose totals are stored. */
export function webhooksWithTotals({ sql }: DurableObjectStorage): string[] {
  return sql
    .exec<{ id: string }>("SELECT webhook_id AS id FROM delivery_reports")
    .toArray()
    .map(({ id }) => id);
}

import type { OwnerId } from "#domain/ids.ts";
import { OwnerAlarm } from "#durable-objects/owner/owner-alarm.ts";
import { UsageTables } from "#durable-objects/owner/usage-tables.ts";
import { type RecordUsage, UsageBuffer } from "#durable-objects/owner/usage.ts";

/** The usage of a payer, and the alarm that writes it, over the storage of its object. */
export function openUsage(
  storage: DurableObjectStorage,
  payerId: OwnerId,
  record: RecordUsage,
): { usage: UsageBuffer; alarm: OwnerAlarm } {
  const alarm = new OwnerAlarm(storage, () => [usage.nextDueMs()]);
  const usage: UsageBuffer = new UsageBuffer({
    storage,
    tables: new UsageTables(storage.sql),
    payerId: () => payerId,
    record,
    bringForward: (atMs) => alarm.bringForward(atMs),
  });
  return { usage, alarm };
}

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

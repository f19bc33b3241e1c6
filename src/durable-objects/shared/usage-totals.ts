import { addHours, type HourCounts } from "#domain/activity.ts";
import type { DayUsage } from "#domain/billing.ts";

/** The table of an object that is metered. A step of that object's migrations. */
export const USAGE_TABLE = `CREATE TABLE usage (
  day TEXT PRIMARY KEY,
  invocations INTEGER NOT NULL,
  compute_ms INTEGER NOT NULL,
  credits INTEGER NOT NULL,
  reported INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID`;

/** Activity by hour, in the row of each day, which is written anyway. A step of the object's migrations. */
export const USAGE_HOURS = "ALTER TABLE usage ADD COLUMN hours TEXT NOT NULL DEFAULT '{}'";

type Row = {
  day: string;
  invocations: number;
  compute_ms: number;
  credits: number;
  hours: string;
};

/** Usage of one object by UTC day, and the invocations and compute that it has reported: one row a day. */
export class UsageTotals {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Add to a day, in the transaction that commits the usage. */
  add({ day, invocations, computeMs, credits, hours = {} }: DayUsage): void {
    this.#sql.exec(
      `INSERT INTO usage (day, invocations, compute_ms, credits, hours) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (day) DO UPDATE SET invocations = invocations + excluded.invocations,
         compute_ms = compute_ms + excluded.compute_ms, credits = credits + excluded.credits,
         hours = excluded.hours`,
      day,
      invocations,
      computeMs,
      credits,
      JSON.stringify(addHours(this.#hoursOf(day), hours)),
    );
  }

  #hoursOf(day: string): HourCounts {
    const [row] = this.#sql
      .exec<Pick<Row, "hours">>("SELECT hours FROM usage WHERE day = ?", day)
      .toArray();
    return row ? JSON.parse(row.hours) : {};
  }

  /** Whether anything was used that is not reported yet. */
  isOwed(): boolean {
    return (
      this.#sql
        .exec("SELECT 1 FROM usage WHERE reported < invocations + compute_ms LIMIT 1")
        .toArray().length > 0
    );
  }

  /** The totals of every day of which not all is reported. */
  owed(): DayUsage[] {
    return this.#sql
      .exec<Row>(
        `SELECT day, invocations, compute_ms, credits, hours FROM usage
         WHERE reported < invocations + compute_ms`,
      )
      .toArray()
      .map(({ compute_ms: computeMs, hours, ...rest }) => ({
        ...rest,
        computeMs,
        hours: JSON.parse(hours),
      }));
  }

  /** These totals were reported. Later additions are still owed; reported days that are over are deleted. */
  settle(days: readonly DayUsage[], today: string): void {
    for (const { day, invocations, computeMs } of days)
      this.#sql.exec(
        "UPDATE usage SET reported = max(reported, ?) WHERE day = ?",
        invocations + computeMs,
        day,
      );
    this.#sql.exec(
      "DELETE FROM usage WHERE reported >= invocations + compute_ms AND day < ?",
      today,
    );
  }
}

import { addHours, type HourCounts } from "#domain/activity.ts";
import type { DayUsage } from "#domain/billing.ts";

/** The table of a metered object. A step of that object's migrations. */
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
  /** The reported part, as stored by a release that did so. */
  reported: number;
  hours: string;
};

/** Usage of one object by UTC day, one row a day, and the reported invocations and compute. */
export class UsageTotals {
  readonly #sql: SqlStorage;
  readonly #reported = new Map<string, number>();

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

  /** Whether any usage is unreported. */
  hasUnreported(): boolean {
    return this.unreported().length > 0;
  }

  /** The totals of every day that is not fully reported, plus unstored usage. */
  unreported(unstored: ReadonlyMap<string, DayUsage> = new Map()): DayUsage[] {
    const days = new Map(unstored);
    for (const { reported, ...stored } of this.#stored()) {
      const added = days.get(stored.day);
      days.set(stored.day, added ? sumOf(stored, added) : stored);
      this.#reported.set(stored.day, Math.max(this.#reportedOf(stored.day), reported));
    }
    return [...days.values()].filter((usage) => totalOf(usage) > this.#reportedOf(usage.day));
  }

  /**
   * Record that these totals were reported, which costs no row: a process that does not know it reports them again.
   * Later additions are still unreported.
   */
  settle(days: readonly DayUsage[], today: string): void {
    this.mark(days);
    this.prune(today);
  }

  /** As `settle`, but past days stay stored. */
  mark(days: readonly DayUsage[]): void {
    for (const usage of days)
      this.#reported.set(usage.day, Math.max(this.#reportedOf(usage.day), totalOf(usage)));
  }

  /** Whether past days are stored that are reported. */
  isStale(today: string): boolean {
    return this.#stored().some((usage) => this.#isDone(usage, today));
  }

  /** Delete past days that are reported. */
  prune(today: string): void {
    for (const usage of this.#stored())
      if (this.#isDone(usage, today)) this.#sql.exec("DELETE FROM usage WHERE day = ?", usage.day);
  }

  #isDone(usage: DayUsage, today: string): boolean {
    return usage.day < today && totalOf(usage) <= this.#reportedOf(usage.day);
  }

  #reportedOf(day: string): number {
    return this.#reported.get(day) ?? 0;
  }

  #stored(): (DayUsage & { reported: number })[] {
    return this.#sql
      .exec<Row>("SELECT * FROM usage")
      .toArray()
      .map(({ compute_ms: computeMs, hours, ...rest }) => ({
        ...rest,
        computeMs,
        hours: JSON.parse(hours),
      }));
  }
}

/** The sum of two parts of a day. */
export function sumOf(a: DayUsage, b: DayUsage): DayUsage {
  return {
    day: a.day,
    invocations: a.invocations + b.invocations,
    computeMs: a.computeMs + b.computeMs,
    credits: a.credits + b.credits,
    hours: addHours(a.hours ?? {}, b.hours ?? {}),
  };
}

function totalOf({ invocations, computeMs }: DayUsage): number {
  return invocations + computeMs;
}

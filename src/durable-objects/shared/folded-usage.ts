import type { DayUsage } from "#domain/billing.ts";

import { sumOf, UsageTotals } from "./usage-totals.ts";

/** How many new rows are read with each report before they are added to the stored totals, which are two rows. */
const MAX_UNFOLDED = 32;

/** Rows that are written anyway and record usage beside. */
export type UsageRows<Row> = {
  /** At most so many of those that are not folded yet, in order; -1: all. */
  unfolded(limit: number): Row[];
  usageIn(row: Row): DayUsage;
  /** Remember that all are folded up to this one. */
  fold(last: Row): void;
};

/**
 * Usage that other rows record, so that no further row is written. These are added to the stored totals of their days once
 * they are many, when a day is over, and before they are evicted. Other usage is added to the totals at once.
 */
export class FoldedUsage<Row> {
  readonly #storage: DurableObjectStorage;
  readonly #totals: UsageTotals;
  readonly #rows: UsageRows<Row>;

  constructor(storage: DurableObjectStorage, rows: UsageRows<Row>) {
    this.#storage = storage;
    this.#totals = new UsageTotals(storage.sql);
    this.#rows = rows;
  }

  /** Add usage that no row records, in the transaction that commits it. */
  add(usage: DayUsage): void {
    this.#totals.add(usage);
  }

  isOwed(): boolean {
    return this.#totals.owed(this.#newDays()).length > 0;
  }

  /** The totals of each day of which not all is reported. New rows are added to the stored totals once there are many. */
  owed(): DayUsage[] {
    const { length } = this.#rows.unfolded(MAX_UNFOLDED);
    if (length === MAX_UNFOLDED) this.#storage.transactionSync(() => this.fold());
    return this.#totals.owed(this.#newDays());
  }

  settle(days: readonly DayUsage[], today: string): void {
    this.#totals.mark(days);
    const isOver = days.some(({ day }) => day < today);
    if (isOver || this.#totals.isStale(today))
      this.#storage.transactionSync(() => {
        this.fold();
        this.#totals.prune(today);
      });
  }

  /** Add what the rows record to the totals, inside a transaction. */
  fold(): void {
    const rows = this.#rows.unfolded(-1);
    const last = rows.at(-1);
    if (last === undefined) return;
    for (const usage of this.#daysOf(rows).values()) this.#totals.add(usage);
    this.#rows.fold(last);
  }

  #newDays(): Map<string, DayUsage> {
    return this.#daysOf(this.#rows.unfolded(-1));
  }

  #daysOf(rows: readonly Row[]): Map<string, DayUsage> {
    const days = new Map<string, DayUsage>();
    for (const row of rows) {
      const used = this.#rows.usageIn(row);
      const sum = days.get(used.day);
      days.set(used.day, sum ? sumOf(sum, used) : used);
    }
    return days;
  }
}

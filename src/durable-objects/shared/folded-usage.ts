import type { DayUsage } from "#domain/billing.ts";

import { sumOf, UsageTotals } from "./usage-totals.ts";

/** Maximum new rows that are read with each report before they are added to the stored totals, which are two rows. */
const MAX_UNFOLDED = 32;

/** Rows that also record usage. */
export type UsageRows<Row> = {
  /** Rows that are not folded yet, in order; -1: no limit. */
  unfolded(limit: number): Row[];
  usageIn(row: Row): DayUsage;
  /** Record that all rows up to this one are folded. */
  fold(last: Row): void;
};

/**
 * Usage that other rows record, so that no further row is written. The rows are added to the stored totals of their days if
 * they are many, at the end of a day, and before they are deleted. Other usage is added to the totals at once.
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

  hasUnreported(): boolean {
    return this.#totals.unreported(this.#newDays()).length > 0;
  }

  /** The totals of each day that is not fully reported. New rows are added to the stored totals once there are many. */
  unreported(): DayUsage[] {
    const { length } = this.#rows.unfolded(MAX_UNFOLDED);
    if (length === MAX_UNFOLDED) this.#storage.transactionSync(() => this.fold());
    return this.#totals.unreported(this.#newDays());
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

  /** Add the usage in the rows to the totals, inside a transaction. */
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

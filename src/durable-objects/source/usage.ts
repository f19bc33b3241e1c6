import { type DayUsage, usageBesideRuns, usageOf } from "#domain/billing.ts";
import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { UsageTotals } from "#durable-objects/shared/usage-totals.ts";

const FOLDED = "folded";

/**
 * The usage of a source. The row of a run's first event has the run's duration, so no further row is written; the
 * new rows are added to the totals of their days when those are reported, and before
 * rows are evicted. A run that leaves no event goes to the totals at once.
 */
export class Usage {
  readonly #storage: DurableObjectStorage;
  readonly #totals: UsageTotals;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#totals = new UsageTotals(storage.sql);
  }

  /** Count a run that leaves no event. */
  add(computeMs: number, nowMs: number): void {
    this.#totals.add(usageOf(computeMs, nowMs));
  }

  /** Count a hook. */
  addHook(computeMs: number, nowMs: number): void {
    this.#totals.add(usageBesideRuns(computeMs, nowMs));
  }

  isOwed(): boolean {
    return this.#totals.isOwed() || this.#unfolded(1).length > 0;
  }

  owed(): DayUsage[] {
    this.#storage.transactionSync(() => this.fold());
    return this.#totals.owed();
  }

  settle(days: readonly DayUsage[], today: string): void {
    this.#storage.transactionSync(() => this.#totals.settle(days, today));
  }

  /** Add the runs that event rows record to the totals, inside a transaction. */
  fold(): void {
    const runs = this.#unfolded(-1);
    const last = runs.at(-1);
    if (!last) return;
    const days = new Map<string, DayUsage>();
    for (const { position, run_ms: computeMs } of runs) {
      const run = usageOf(computeMs, millisecondsOf(position));
      const sum = days.get(run.day);
      days.set(run.day, sum ? sumOf(sum, run) : run);
    }
    for (const usage of days.values()) this.#totals.add(usage);
    this.#storage.kv.put(FOLDED, last.position);
  }

  /** The first runs, or all for -1, that only event rows record. */
  #unfolded(limit: number): { position: Position; run_ms: number }[] {
    return this.#storage.sql
      .exec<{ position: Position; run_ms: number }>(
        `SELECT position, run_ms FROM events WHERE position > ? AND run_ms NOT NULL
         ORDER BY position LIMIT ?`,
        this.#storage.kv.get<Position>(FOLDED) ?? 0,
        limit,
      )
      .toArray();
  }
}

function sumOf(a: DayUsage, b: DayUsage): DayUsage {
  return {
    day: a.day,
    invocations: a.invocations + b.invocations,
    computeMs: a.computeMs + b.computeMs,
    credits: a.credits + b.credits,
  };
}

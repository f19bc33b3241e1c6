import { countsAt } from "#domain/activity.ts";
import { dayOf, type DayUsage, usageBesideRuns, usageOf, usageOfRun } from "#domain/billing.ts";
import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { sumOf, UsageTotals } from "#durable-objects/shared/usage-totals.ts";

const FOLDED = "folded";

/** Maximum new rows that are read with each report before they are added to the stored totals, which are two rows. */
const MAX_UNFOLDED = 32;

/**
 * The usage of a source. The row of a run's first event has the run's duration, so no further row is written; the new
 * rows are added to the stored totals of their days if they are many, at the end of a day, and before rows are evicted.
 * A run without an event is added to the totals at once.
 */
export class Usage {
  readonly #storage: DurableObjectStorage;
  readonly #totals: UsageTotals;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#totals = new UsageTotals(storage.sql);
  }

  /** Count a run without an event. */
  add(computeMs: number, nowMs: number): void {
    this.#totals.add(usageOfRun(computeMs, nowMs, false));
  }

  /** Count a hook. */
  addHook(computeMs: number, nowMs: number): void {
    this.#totals.add(usageBesideRuns(computeMs, nowMs));
  }

  isOwed(): boolean {
    return this.#totals.owed(this.#newDays()).length > 0;
  }

  /** The totals of each day that is not fully reported. New rows are added to the stored totals once there are many. */
  owed(): DayUsage[] {
    const { length } = this.#unfolded(MAX_UNFOLDED);
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

  /** Add the runs that event rows record to the totals, and the events to their hours, inside a transaction. */
  fold(): void {
    const rows = this.#unfolded();
    const last = rows.at(-1);
    if (!last) return;
    for (const usage of daysOf(rows).values()) this.#totals.add(usage);
    this.#storage.kv.put(FOLDED, last.position);
  }

  #newDays(): Map<string, DayUsage> {
    return daysOf(this.#unfolded());
  }

  /** The runs and events in the event rows that are not folded yet, in order. */
  #unfolded(limit = -1): EventRow[] {
    return this.#storage.sql
      .exec<EventRow>(
        `SELECT position, run_ms, run_failed, substr(channel, 1, 1) <> '$' AS is_event FROM events
         WHERE position > ? ORDER BY position LIMIT ?`,
        this.#folded(),
        limit,
      )
      .toArray();
  }

  #folded(): Position {
    return this.#storage.kv.get<Position>(FOLDED) ?? 0;
  }
}

/** Counted columns of an event row: `run_ms` on the first of a run, and whether it is on no platform channel. */
type EventRow = {
  position: Position;
  run_ms: number | null;
  run_failed: number | null;
  is_event: number;
};

function daysOf(rows: readonly EventRow[]): Map<string, DayUsage> {
  const days = new Map<string, DayUsage>();
  for (const row of rows) {
    const used = usageIn(row);
    const sum = days.get(used.day);
    days.set(used.day, sum ? sumOf(sum, used) : used);
  }
  return days;
}

function usageIn({ position, run_ms, run_failed, is_event }: EventRow): DayUsage {
  const atMs = millisecondsOf(position);
  const counts = { runs: run_ms === null ? 0 : 1, failures: run_failed ?? 0, events: is_event };
  const used = run_ms === null ? { ...NOTHING, day: dayOf(atMs / 1000) } : usageOf(run_ms, atMs);
  return { ...used, hours: countsAt(atMs, counts) };
}

const NOTHING = { invocations: 0, computeMs: 0, credits: 0 };

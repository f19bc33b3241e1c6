import { countsAt } from "#domain/activity.ts";
import {
  dayOf,
  type DayUsage,
  laterUsage,
  recentUsage,
  usageBesideRuns,
  usageOf,
  usageOfRun,
  usageSince,
} from "#domain/billing.ts";
import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { FoldedUsage } from "#durable-objects/shared/folded-usage.ts";

const FOLDED = "folded";

/** The prefix of the keys of the reported totals of other shards. */
const SHARD = "usage:";

/**
 * The usage of a source. The row of a run's first event has the run's duration; a run without an event is
 * added to the totals at once.
 */
export class Usage extends FoldedUsage<EventRow> {
  readonly #storage: DurableObjectStorage;
  readonly #folded: () => Position;

  constructor(storage: DurableObjectStorage) {
    const folded = (): Position => storage.kv.get<Position>(FOLDED) ?? 0;
    super(storage, {
      unfolded: (limit) => eventsAfter(storage.sql, folded(), limit),
      usageIn,
      fold: ({ position }) => storage.kv.put(FOLDED, position),
    });
    this.#storage = storage;
    this.#folded = folded;
  }

  /** Rows up to a position are about to be deleted: fold them, inside the transaction. */
  foldBefore(position: Position): void {
    if (position > this.#folded()) this.fold();
  }

  /** Count a run without an event. */
  addRun(computeMs: number, nowMs: number): void {
    this.add(usageOfRun(computeMs, nowMs, false));
  }

  /** Add the totals of another shard, of which only the difference to its last report counts. */
  addShard(shard: number, days: readonly DayUsage[], nowMs: number): void {
    if (days.length === 0) return;
    const key = `${SHARD}${shard}`;
    this.#storage.transactionSync(() => {
      const known = this.#storage.kv.get<DayUsage[]>(key) ?? [];
      const later = laterUsage(known, days);
      for (const usage of usageSince(known, later, nowMs)) this.add(usage);
      this.#storage.kv.put(key, recentUsage(later, nowMs));
    });
  }

  /** Count a hook. */
  addHook(computeMs: number, nowMs: number): void {
    this.add(usageBesideRuns(computeMs, nowMs));
  }
}

/** Counted columns of an event row: `run_ms` on the first of a run, and whether it is on no platform channel. */
type EventRow = {
  position: Position;
  run_ms: number | null;
  run_failed: number | null;
  is_event: number;
};

/** The runs and events in the event rows after a position, in order. */
function eventsAfter(sql: SqlStorage, position: Position, limit: number): EventRow[] {
  return sql
    .exec<EventRow>(
      `SELECT position, run_ms, run_failed, substr(channel, 1, 1) <> '$' AS is_event FROM events
       WHERE position > ? ORDER BY position LIMIT ?`,
      position,
      limit,
    )
    .toArray();
}

function usageIn({ position, run_ms, run_failed, is_event }: EventRow): DayUsage {
  const atMs = millisecondsOf(position);
  const counts = { runs: run_ms === null ? 0 : 1, failures: run_failed ?? 0, events: is_event };
  const used = run_ms === null ? { ...NOTHING, day: dayOf(atMs / 1000) } : usageOf(run_ms, atMs);
  return { ...used, hours: countsAt(atMs, counts) };
}

const NOTHING = { invocations: 0, computeMs: 0, credits: 0 };

import { type DayUsage, usageOfRun } from "#domain/billing.ts";
import type { RunState } from "#domain/workflows.ts";
import { FoldedUsage } from "#durable-objects/shared/folded-usage.ts";

const FOLDED = "usage_folded";

/** The last folded run, in the order in which runs end. Runs before `fromSeq` had all ended then. */
type Mark = { endedMs: number; seq: number; fromSeq: number };

const START: Mark = { endedMs: 0, seq: 0, fromSeq: 0 };

type EndedRow = { seq: number; ended_ms: number; state: RunState; compute_ms: number };

/** The usage of a workflow. A run counts when it ends, in its own row. */
export class Usage extends FoldedUsage<EndedRow> {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    super(storage, {
      unfolded: (limit) => endedAfter(storage.sql, markIn(storage), limit),
      usageIn,
      fold: ({ seq, ended_ms: endedMs }) =>
        storage.kv.put<Mark>(FOLDED, { endedMs, seq, fromSeq: firstOpen(storage.sql) }),
    });
    this.#storage = storage;
  }

  /** The end of a run that ends now, epoch milliseconds: after all folded runs, even if the clock was set back. */
  endedMs(nowMs: number): number {
    return Math.max(nowMs, markIn(this.#storage).endedMs + 1);
  }

  /** Runs before one are about to be deleted: fold them, inside the transaction. */
  foldBefore(seq: number): void {
    const rows = endedAfter(this.#storage.sql, markIn(this.#storage), -1);
    if (rows.some((row) => row.seq < seq)) this.fold();
  }
}

function markIn({ kv }: DurableObjectStorage): Mark {
  return kv.get<Mark>(FOLDED) ?? START;
}

function endedAfter(sql: SqlStorage, { endedMs, seq, fromSeq }: Mark, limit: number): EndedRow[] {
  return sql
    .exec<EndedRow>(
      `SELECT seq, ended_ms, state, compute_ms FROM runs
       WHERE seq >= ? AND compute_ms NOT NULL AND (ended_ms, seq) > (?, ?) ORDER BY ended_ms, seq LIMIT ?`,
      fromSeq,
      endedMs,
      seq,
      limit,
    )
    .toArray();
}

/** The first run that has not ended; where all have, the next. */
function firstOpen(sql: SqlStorage): number {
  return sql
    .exec<{ first: number }>(
      `SELECT coalesce((SELECT min(seq) FROM runs WHERE ended_ms IS NULL), (SELECT max(seq) FROM runs) + 1, 0) AS first`,
    )
    .one().first;
}

function usageIn({ ended_ms, state, compute_ms }: EndedRow): DayUsage {
  return usageOfRun(compute_ms, ended_ms, state === "failed");
}

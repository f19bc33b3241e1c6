import { fromJson } from "#domain/json.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Execution, RunDetails, RunSummary } from "./contract.ts";
import { type RunRow, type StepRow, verdictOf } from "./run-rows.ts";

/** The runs of a workflow as its owner reads them. */
export class RunHistory {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** A page of runs, newest first, whatever state they are in. */
  page({ limit, after, before }: PageRequest): Page<RunSummary> {
    const rows = this.#sql
      .exec<RunRow>(
        `SELECT * FROM runs WHERE seq < ? AND seq > ?
         ORDER BY seq ${before === undefined ? "DESC" : "ASC"} LIMIT ?`,
        after ?? Number.MAX_SAFE_INTEGER,
        before ?? -1,
        limit,
      )
      .toArray();
    if (before !== undefined) rows.reverse();
    const { n } = this.#sql.exec<{ n: number }>("SELECT count(*) AS n FROM runs").one();
    return { items: rows.map(summaryOf), totalCount: n };
  }

  /** A run with every execution of its steps, in order; null where there is none of this id. */
  details(id: string): RunDetails | null {
    const [row] = this.#sql.exec<RunRow>("SELECT * FROM runs WHERE id = ?", id).toArray();
    if (!row) return null;
    const steps = this.#sql
      .exec<StepRow>("SELECT * FROM steps WHERE run_seq = ? ORDER BY number", row.seq)
      .toArray();
    return {
      ...summaryOf(row),
      event: row.event,
      executions: steps.map((step) => executionOf(step, row)),
    };
  }
}

function summaryOf(row: RunRow): RunSummary {
  return {
    seq: row.seq,
    id: row.id,
    deploymentId: row.deployment_id,
    state: row.state,
    sourceType: row.source_type,
    emitterId: row.emitter_id,
    queuedMs: row.queued_ms,
    startedMs: row.started_ms,
    endedMs: row.ended_ms,
    exitReason: row.exit_reason,
    failure: row.failure === null ? null : fromJson(row.failure),
    rerunOf: row.rerun_of,
  };
}

function executionOf(
  { number, name, started_ms, ended_ms, logs, ...kept }: StepRow,
  { carried }: RunRow,
): Execution {
  const { exports, failure, pause } = verdictOf(kept);
  return {
    number,
    name,
    startedMs: started_ms,
    endedMs: ended_ms,
    exports,
    failure,
    pause: pause?.kind ?? null,
    logs: fromJson(logs),
    isCarried: number <= carried,
  };
}

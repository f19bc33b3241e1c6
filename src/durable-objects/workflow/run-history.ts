import { fromJson } from "#domain/json.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { MAX_CALL_BYTES, maxWireBytes } from "#domain/wire-size.ts";

import type { StepExecution, ExecutionPart, RunDetails, RunSummary } from "./contract.ts";
import type { Messages } from "./messages.ts";
import { type RunRow, type StepRow, storedOutcomeOf } from "./run-rows.ts";
import { NO_INPUT } from "./step-input.ts";

/** The columns of a run in a list: not its event, as a page of events would fill the memory of an isolate. */
const SUMMARY =
  "seq, id, version, deployment_id, state, source_type, emitter_id, queued_ms, started_ms, ended_ms, exit_reason, failure, rerun_of";

type SummaryRow = Omit<
  RunRow,
  "event" | "secret" | "hops" | "budget" | "request_id" | "carried" | "steps"
>;

/** The runs of a workflow as its owner reads them. */
export class RunHistory {
  readonly #sql: SqlStorage;
  readonly #messages: Messages;

  constructor(sql: SqlStorage, messages: Messages) {
    this.#sql = sql;
    this.#messages = messages;
  }

  /** A page of runs in any state, newest first. */
  page({ limit, after, before }: PageRequest): Page<RunSummary> {
    const rows = this.#sql
      .exec<SummaryRow>(
        `SELECT ${SUMMARY} FROM runs WHERE seq < ? AND seq > ?
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

  /** A run with the executions of its steps, in order; null if there is none of this id. */
  details(id: string): RunDetails | null {
    const row = this.#row(id);
    if (!row) return null;
    return { ...summaryOf(row), event: row.event, ...this.#partOf(row, 0) };
  }

  /** The executions of a run from a number on, as many as fit into one call, and at least one. */
  part(id: string, from: number): ExecutionPart {
    const row = this.#row(id);
    return row ? this.#partOf(row, from) : { executions: [], next: null };
  }

  /** All executions of a run, read while they are consumed. */
  *executions(id: string): Generator<StepExecution> {
    const row = this.#row(id);
    if (row) for (const step of this.#steps(row, 0)) yield this.#execution(step, row);
  }

  #row(id: string): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM runs WHERE id = ?", id).toArray()[0];
  }

  #partOf(row: RunRow, from: number): ExecutionPart {
    const executions: StepExecution[] = [];
    let room = MAX_CALL_BYTES;
    for (const step of this.#steps(row, from)) {
      room -= wireBytesOf(step);
      if (room < 0 && executions.length > 0) return { executions, next: step.number };
      executions.push(this.#execution(step, row));
    }
    return { executions, next: null };
  }

  #execution(step: StepRow, run: RunRow): StepExecution {
    return { ...executionOf(step, run), messages: this.#messages.of(run.seq, step.number) };
  }

  #steps({ seq }: RunRow, from: number): Iterable<StepRow> {
    return this.#sql.exec<StepRow>(
      `SELECT steps.*, input, is_truncated FROM steps LEFT JOIN step_inputs USING (run_seq, number)
       WHERE run_seq = ? AND number >= ? ORDER BY number`,
      seq,
      from,
    );
  }
}

function wireBytesOf({ verdict, exports, logs, input }: StepRow): number {
  return [verdict, exports ?? "", logs, input ?? ""].reduce(
    (sum, text) => sum + maxWireBytes(text),
    0,
  );
}

function summaryOf(row: SummaryRow): RunSummary {
  return {
    seq: row.seq,
    id: row.id,
    deploymentId: row.deployment_id,
    version: row.version,
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
  { number, name, started_ms, ended_ms, logs, input, is_truncated, ...kept }: StepRow,
  { carried }: RunRow,
): Omit<StepExecution, "messages"> {
  const { exports, failure, pause } = storedOutcomeOf(kept);
  return {
    number,
    name,
    input: input === null ? NO_INPUT : { values: input, isTruncated: is_truncated === 1 },
    startedMs: started_ms,
    endedMs: ended_ms,
    exports,
    failure,
    pause: pause?.kind ?? null,
    logs: fromJson(logs),
    isCarried: number <= carried,
  };
}

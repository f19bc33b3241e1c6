import { cutFailure } from "#domain/invocation.ts";
import { toJson } from "#domain/json.ts";

import type { CarriedStep, KeptInput, NewRun, StepReport, StepOutcome } from "./contract.ts";
import { keptLog } from "./kept-log.ts";
import { Resumptions } from "./resumptions.ts";
import { FIRST_CHECK_MS, RunChecks } from "./run-checks.ts";
import {
  type RunEnding,
  type RunRow,
  type StepRow,
  type StoredOutcome,
  storedOutcomeOf,
} from "./run-rows.ts";
import { NO_INPUT } from "./step-input.ts";

/** Maximum ended runs that are stored, with all exports of their steps. */
const MAX_REMEMBERED = 100;

/** Maximum waiting runs, before callers are rejected. */
const MAX_QUEUED = 10_000;

/** Maximum delay between the end of a pause and the continuation of its run. */
const WAKE_GRACE_MS = 5000;

/** Maximum characters of a step's reason to end its run. */
const MAX_REASON_LENGTH = 4096;

/** Every run of a workflow that has not ended, and the last hundred that have. */
export class Runs {
  readonly resumptions: Resumptions;
  readonly checks: RunChecks;
  readonly #sql: SqlStorage;
  readonly #beforeEviction: (firstKept: number) => void;
  #untilEviction = 0;

  /** `beforeEviction` is called when ended runs before one are about to be deleted, in the same transaction. */
  constructor(sql: SqlStorage, beforeEviction: (firstKept: number) => void) {
    this.#sql = sql;
    this.#beforeEviction = beforeEviction;
    this.resumptions = new Resumptions(sql);
    this.checks = new RunChecks(sql);
  }

  /** Insert a run, which waits for its turn or begins at once. False if there is or was one of this id. */
  insert(
    run: NewRun,
    deployment: { id: string; version?: number },
    state: "queued" | "running" = "queued",
  ): boolean {
    const { id, event, hops, sourceType, emitterId, carried = [] } = run;
    const nowMs = Date.now();
    const { rowsWritten } = this.#sql.exec(
      `INSERT OR IGNORE INTO runs (id, deployment_id, version, source_type, emitter_id, hops, budget, request_id, rerun_of,
         trace_id, carried, event, secret, state, queued_ms, started_ms, check_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      deployment.id,
      deployment.version ?? 1,
      sourceType,
      emitterId,
      hops,
      ...causeOf(run),
      carried.length,
      event,
      crypto.randomUUID(),
      state,
      nowMs,
      ...(state === "running" ? [nowMs, nowMs + FIRST_CHECK_MS] : [null, null]),
    );
    const row = rowsWritten > 0 ? this.byId(id) : undefined;
    if (row) this.#carry(row, carried);
    return row !== undefined;
  }

  /** Let a run begin with executions of an earlier one, which sent and paused then. */
  #carry({ seq }: RunRow, carried: readonly CarriedStep[]): void {
    const outcome = { failure: null, pause: null, parcels: [], ends: null, spent: 0 };
    for (const [
      index,
      { name, input, startedMs, endedMs, exports, resumption },
    ] of carried.entries()) {
      this.#sql.exec(
        `INSERT INTO steps (run_seq, number, name, started_ms, ended_ms, verdict, exports, logs)
         VALUES (?, ?, ?, ?, ?, ?, ?, '[]')`,
        seq,
        index + 1,
        name,
        startedMs,
        endedMs,
        toJson<StoredOutcome>(outcome),
        exports,
      );
      this.#keepInput(seq, index + 1, input);
      if (resumption !== undefined)
        this.resumptions.keep({ seq }, { number: index + 1, request: resumption });
    }
  }

  byId(id: string): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM runs WHERE id = ?", id).toArray()[0];
  }

  bySeq(seq: number): RunRow | undefined {
    return this.#sql.exec<RunRow>("SELECT * FROM runs WHERE seq = ?", seq).toArray()[0];
  }

  /** Total duration of a run's steps, without its pauses and without the steps of an earlier run. */
  computeMs({ seq, carried }: RunRow): number {
    return this.#sql
      .exec<{ ms: number }>(
        `SELECT coalesce(sum(max(1, ended_ms - started_ms)), 0) AS ms FROM steps
         WHERE run_seq = ? AND number > ?`,
        seq,
        carried,
      )
      .one().ms;
  }

  /** The number of runs that wait, are under way or pause. */
  load(): number {
    return this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM runs WHERE ended_ms IS NULL")
      .one().n;
  }

  /** Whether the queue of runs is full. */
  isFull(): boolean {
    return this.count("queued") >= MAX_QUEUED;
  }

  count(state: "queued" | "running"): number {
    return this.#sql
      .exec<{ n: number }>(
        "SELECT count(*) AS n FROM runs WHERE state = ? AND ended_ms IS NULL",
        state,
      )
      .one().n;
  }

  /** Take runs from the front of the queue, which are under way from now on. */
  take(limit: number): string[] {
    const nowMs = Date.now();
    return this.#sql
      .exec<{ id: string }>(
        `UPDATE runs SET state = 'running', started_ms = ?, check_ms = ?, checks = 0 WHERE seq IN
           (SELECT seq FROM runs WHERE state = 'queued' AND ended_ms IS NULL ORDER BY seq LIMIT ?)
         RETURNING id`,
        nowMs,
        nowMs + FIRST_CHECK_MS,
        limit,
      )
      .toArray()
      .map(({ id }) => id);
  }

  /** Return runs to the queue that the engine did not accept. */
  putBack(ids: readonly string[]): void {
    this.#sql.exec(
      `UPDATE runs SET state = 'queued', started_ms = NULL, check_ms = NULL
       WHERE steps = 0 AND state = 'running' AND id IN (SELECT value FROM json_each(?))`,
      JSON.stringify(ids),
    );
  }

  /** The outcome of an execution, if it was reported before. */
  outcomeOf({ seq }: RunRow, number: number): StepOutcome | undefined {
    const [row] = this.#sql
      .exec<Pick<StepRow, "verdict" | "exports">>(
        "SELECT verdict, exports FROM steps WHERE run_seq = ? AND number = ?",
        seq,
        number,
      )
      .toArray();
    return row && storedOutcomeOf(row);
  }

  /** Record an execution of a step. */
  record({ seq }: RunRow, report: StepReport): void {
    const { number, name, input, startedMs, endedMs, verdict, logs } = report;
    const { exports, failure, ...rest } = verdict satisfies StepOutcome;
    this.#sql.exec(
      `INSERT INTO steps (run_seq, number, name, started_ms, ended_ms, verdict, exports, logs)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      seq,
      number,
      name,
      startedMs,
      endedMs,
      toJson<StoredOutcome>({ ...rest, failure: failure && cutFailure(failure) }),
      exports,
      keptLog(logs),
    );
    this.#keepInput(seq, number, input);
  }

  /** Record the state of a run after an execution that does not end it. Returns the time of the next check. */
  goOn({ seq }: RunRow, { number, wakeMs, exitReason }: StepReport): number {
    const checkMs = wakeMs === null ? Date.now() + FIRST_CHECK_MS : wakeMs + WAKE_GRACE_MS;
    this.#sql.exec(
      `UPDATE runs SET steps = max(steps, ?), state = ?, check_ms = ?, checks = 0, exit_reason = ?
       WHERE seq = ? AND ended_ms IS NULL`,
      number,
      wakeMs === null ? "running" : "waiting",
      checkMs,
      keptReason({ exitReason }),
      seq,
    );
    return checkMs;
  }

  #keepInput(seq: number, number: number, { values, isTruncated }: KeptInput): void {
    if (values === NO_INPUT.values && !isTruncated) return;
    this.#sql.exec(
      "INSERT INTO step_inputs (run_seq, number, input, is_truncated) VALUES (?, ?, ?, ?)",
      seq,
      number,
      values,
      isTruncated ? 1 : 0,
    );
  }

  /** Resume a run after its pause. Returns the time of the next check. */
  wake({ seq }: RunRow): number {
    const checkMs = Date.now() + FIRST_CHECK_MS;
    this.#sql.exec(
      "UPDATE runs SET state = 'running', check_ms = ?, checks = 0 WHERE seq = ? AND ended_ms IS NULL",
      checkMs,
      seq,
    );
    return checkMs;
  }

  /** End a run. */
  end({ seq }: RunRow, { state, failure, endedMs, computeMs, last }: RunEnding): void {
    this.#sql.exec(
      `UPDATE runs SET state = ?, failure = ?, ended_ms = ?, compute_ms = ?, check_ms = NULL, steps = max(steps, ?),
         exit_reason = iif(?, ?, exit_reason)
       WHERE seq = ? AND ended_ms IS NULL`,
      state,
      failure && toJson(cutFailure(failure)),
      endedMs,
      computeMs,
      ...(last ? [last.number, 1, keptReason(last)] : [0, 0, null]),
      seq,
    );
    this.#untilEviction -= 1;
    if (this.#untilEviction < 0) this.#evict();
  }

  /** Whether the last run of a timer's tick is still queued or under way. */
  isTicking(): boolean {
    return (
      this.#sql
        .exec(
          `SELECT 1 FROM runs WHERE source_type = 'timer' AND rerun_of IS NULL AND ended_ms IS NULL
           AND state IN ('queued', 'running') LIMIT 1`,
        )
        .toArray().length > 0
    );
  }

  /** Ids of all unfinished runs that the engine may have. */
  unfinished(): string[] {
    return this.#sql
      .exec<{ id: string }>("SELECT id FROM runs WHERE ended_ms IS NULL AND state <> 'queued'")
      .toArray()
      .map(({ id }) => id);
  }

  #evict(): void {
    this.#untilEviction = MAX_REMEMBERED / 10;
    const { first } = this.#sql
      .exec<{ first: number }>(
        `SELECT coalesce((SELECT seq FROM runs WHERE ended_ms IS NOT NULL
           ORDER BY seq DESC LIMIT 1 OFFSET ?), 0) AS first`,
        MAX_REMEMBERED - 1,
      )
      .one();
    this.#beforeEviction(first);
    this.#sql.exec("DELETE FROM runs WHERE ended_ms IS NOT NULL AND seq < ?", first);
    for (const table of ["steps", "step_inputs", "resumptions"])
      this.#sql.exec(`DELETE FROM ${table} WHERE run_seq NOT IN (SELECT seq FROM runs)`);
    this.#sql.exec(
      "DELETE FROM messages WHERE due_ms IS NULL AND run_seq NOT IN (SELECT seq FROM runs)",
    );
  }
}

/** The origin of a run: its budget, the request that began it, the run that it repeats, the first one on its event. */
function causeOf({ budget, requestId, rerunOf, traceId }: NewRun): (string | number | null)[] {
  return [budget ?? null, requestId ?? null, rerunOf ?? null, traceId ?? null];
}

function keptReason({ exitReason }: Pick<StepReport, "exitReason">): string | null {
  return exitReason?.slice(0, MAX_REASON_LENGTH) ?? null;
}

import type { RunRow } from "./run-rows.ts";

/** Time without a report from a run under way after which the engine is queried about it; then ever longer. */
export const FIRST_CHECK_MS = 3000;
const MAX_CHECK_MS = 300_000;

/** Runs that may have to be checked; the index of open runs finds them by their states. */
const TO_CHECK = "ended_ms IS NULL AND state IN ('running', 'waiting')";

/** The times at which runs under way or in a pause are checked, in case they do not report. */
export class RunChecks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Runs with an overdue report. Each is checked again later, at growing intervals. */
  silent(nowMs: number, limit: number): RunRow[] {
    return this.#sql
      .exec<RunRow>(
        `UPDATE runs SET checks = checks + 1, check_ms = ? + min(?, ? << min(checks, 10))
         WHERE seq IN (SELECT seq FROM runs WHERE ${TO_CHECK} AND check_ms <= ? ORDER BY check_ms LIMIT ?)
         RETURNING *`,
        nowMs,
        MAX_CHECK_MS,
        FIRST_CHECK_MS,
        nowMs,
        limit,
      )
      .toArray();
  }

  /** Make every running run due for a check, because the process that executed them has ended. */
  checkNow(nowMs: number): void {
    this.#sql.exec(
      "UPDATE runs SET check_ms = ?, checks = 0 WHERE ended_ms IS NULL AND state = 'running' AND check_ms > ?",
      nowMs,
      nowMs,
    );
  }

  /** The time of the next check, epoch milliseconds. */
  nextCheckMs(): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>(`SELECT min(check_ms) AS due FROM runs WHERE ${TO_CHECK}`)
        .one().due ?? undefined
    );
  }
}

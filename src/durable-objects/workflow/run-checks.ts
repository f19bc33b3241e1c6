import type { RunRow } from "./run-rows.ts";

/** How long a run that is under way may say nothing before the engine is asked about it; then ever longer. */
export const FIRST_CHECK_MS = 3000;
const MAX_CHECK_MS = 300_000;

/** Runs that may have to be looked at; by the states alone they are found in the index of open runs. */
const TO_CHECK = "ended_ms IS NULL AND state IN ('running', 'waiting')";

/** When each run that is under way or pauses is to be looked at, in case it says nothing. */
export class RunChecks {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Runs that should have said something by now. Each is looked at again later, and ever later. */
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

  /** Make every running run due for a check, because the process that executed them is gone. */
  checkNow(nowMs: number): void {
    this.#sql.exec(
      "UPDATE runs SET check_ms = ?, checks = 0 WHERE ended_ms IS NULL AND state = 'running' AND check_ms > ?",
      nowMs,
      nowMs,
    );
  }

  /** When the next run is to be looked at, epoch milliseconds. */
  nextCheckMs(): number | undefined {
    return (
      this.#sql
        .exec<{ due: number | null }>(`SELECT min(check_ms) AS due FROM runs WHERE ${TO_CHECK}`)
        .one().due ?? undefined
    );
  }
}

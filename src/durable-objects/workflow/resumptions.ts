import type { KeptResumption } from "./contract.ts";
import type { RunRow } from "./run-rows.ts";

/** The requests that ended pauses of remembered runs, for runs that repeat them. */
export class Resumptions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Keep the request that ended a pause. Twice the same is once. */
  keep({ seq }: Pick<RunRow, "seq">, { number, request }: KeptResumption): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO resumptions (run_seq, number, request) VALUES (?, ?, ?)",
      seq,
      number,
      request,
    );
  }

  /** The request that ended the pause after an execution; undefined where none did. */
  of({ seq }: Pick<RunRow, "seq">, number: number): string | undefined {
    return this.#sql
      .exec<{ request: string }>(
        "SELECT request FROM resumptions WHERE run_seq = ? AND number = ?",
        seq,
        number,
      )
      .toArray()[0]?.request;
  }
}

import type { KeptResumption } from "./contract.ts";
import type { RunRow } from "./run-rows.ts";

/** The requests that ended pauses of stored runs, for runs that repeat them. */
export class Resumptions {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Store the request that ended a pause. A repetition changes nothing. */
  keep({ seq }: Pick<RunRow, "seq">, { number, request }: KeptResumption): void {
    this.#sql.exec(
      "INSERT OR IGNORE INTO resumptions (run_seq, number, request) VALUES (?, ?, ?)",
      seq,
      number,
      request,
    );
  }

  /** The request that ended the pause after an execution; undefined if there was none. */
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

import { MAX_DB_BYTES, writtenBytes } from "#sandbox/outcome-bounds.ts";
import type { DbWrites } from "#sandbox/user-code.ts";

/** `$.service.db` of each step of a workflow, kept between runs: JSON text by key. */
export class StepDb {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All stored values of a step, for an execution of it. */
  all(step: string): Record<string, string> {
    const rows = this.#sql.exec<{ key: string; value: string }>(
      "SELECT key, value FROM step_db WHERE step = ?",
      step,
    );
    return Object.fromEntries([...rows].map(({ key, value }) => [key, value]));
  }

  /** Commit the writes of an execution key by key. False, and nothing is written, if there is no room. */
  write(step: string, writes: DbWrites): boolean {
    const entries = Object.entries(writes);
    if (entries.length === 0) return true;
    const set = entries.filter(([, value]) => value !== null);
    if (set.length > 0 && !this.#fits(step, writes)) return false;
    for (const [key, value] of entries) {
      if (value === null)
        this.#sql.exec("DELETE FROM step_db WHERE step = ? AND key = ?", step, key);
      else
        this.#sql.exec(
          "INSERT OR REPLACE INTO step_db (step, key, value) VALUES (?, ?, ?)",
          step,
          key,
          value,
        );
    }
    return true;
  }

  /** Delete the db of steps that the workflow no longer has. */
  keepOnly(steps: readonly string[]): void {
    this.#sql.exec(
      "DELETE FROM step_db WHERE step NOT IN (SELECT value FROM json_each(?))",
      JSON.stringify(steps),
    );
  }

  #fits(step: string, writes: DbWrites): boolean {
    const { bytes } = this.#sql
      .exec<{ bytes: number | null }>(
        `SELECT sum(octet_length(key) + octet_length(value)) AS bytes FROM step_db
         WHERE step = ? AND key NOT IN (SELECT value FROM json_each(?))`,
        step,
        JSON.stringify(Object.keys(writes)),
      )
      .one();
    return (bytes ?? 0) + writtenBytes(writes) <= MAX_DB_BYTES;
  }
}

import type { DbWrites } from "../sandbox/user-code.ts";

/** `$.service.db` at rest: JSON text by key. */
export class ServiceDbStore {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All of it, to go along with an invocation. */
  all(): Record<string, string> {
    const rows = this.#sql.exec<{ key: string; value: string }>(
      "SELECT key, value FROM service_db",
    );
    return Object.fromEntries([...rows].map(({ key, value }) => [key, value]));
  }

  /** Commit key by key, so that calls that ran side by side do not undo each other. */
  write(writes: DbWrites): void {
    for (const [key, value] of Object.entries(writes)) {
      if (value === null) this.#sql.exec("DELETE FROM service_db WHERE key = ?", key);
      else
        this.#sql.exec("INSERT OR REPLACE INTO service_db (key, value) VALUES (?, ?)", key, value);
    }
  }
}

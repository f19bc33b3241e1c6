import { MAX_DB_BYTES, writtenBytes } from "#sandbox/outcome-bounds.ts";
import type { DbWrites } from "#sandbox/user-code.ts";

/** The stored `$.service.db`: JSON text by key. */
export class ServiceDbStore {
  readonly #sql: SqlStorage;
  /** An upper bound of the stored bytes: counting reads every row, which is too expensive for each run. */
  #maxBytes = Infinity;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** All values, for an invocation. */
  all(): Record<string, string> {
    const rows = this.#sql.exec<{ key: string; value: string }>(
      "SELECT key, value FROM service_db",
    );
    return Object.fromEntries([...rows].map(({ key, value }) => [key, value]));
  }

  /** The number of keys, and the bytes of all keys and values. */
  size(): { keys: number; bytes: number } {
    const { keys } = this.#sql
      .exec<{ keys: number }>("SELECT count(*) AS keys FROM service_db")
      .one();
    return { keys, bytes: this.#bytesWithout([]) };
  }

  /** Values in the order of their keys, after one of these. */
  page({ after, limit }: { after: string; limit: number }): { key: string; value: string }[] {
    return this.#sql
      .exec<{ key: string; value: string }>(
        "SELECT key, value FROM service_db WHERE key > ? ORDER BY key LIMIT ?",
        after,
        limit,
      )
      .toArray();
  }

  /** The value of a key. */
  get(key: string): string | undefined {
    const [row] = this.#sql
      .exec<{ value: string }>("SELECT value FROM service_db WHERE key = ?", key)
      .toArray();
    return row?.value;
  }

  /** Whether there is room for these writes: every call contains the db. */
  fits(writes: DbWrites): boolean {
    const keys = Object.keys(writes);
    // A db that is too large accepts deletions.
    if (keys.every((key) => writes[key] === null)) return true;
    const bytes = writtenBytes(writes);
    if (this.#maxBytes + bytes <= MAX_DB_BYTES) return true;
    this.#maxBytes = this.#bytesWithout([]);
    if (this.#maxBytes + bytes <= MAX_DB_BYTES) return true;
    return this.#bytesWithout(keys) + bytes <= MAX_DB_BYTES;
  }

  #bytesWithout(keys: readonly string[]): number {
    const { bytes } = this.#sql
      .exec<{ bytes: number | null }>(
        `SELECT sum(octet_length(key) + octet_length(value)) AS bytes FROM service_db
         WHERE key NOT IN (SELECT value FROM json_each(?))`,
        JSON.stringify(keys),
      )
      .one();
    return bytes ?? 0;
  }

  /** Commit key by key, so that concurrent calls do not undo each other. */
  write(writes: DbWrites): void {
    this.#maxBytes += writtenBytes(writes);
    for (const [key, value] of Object.entries(writes)) {
      if (value === null) this.#sql.exec("DELETE FROM service_db WHERE key = ?", key);
      else
        this.#sql.exec("INSERT OR REPLACE INTO service_db (key, value) VALUES (?, ?)", key, value);
    }
  }
}

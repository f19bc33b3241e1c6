import type { OwnerId } from "#domain/ids.ts";
import type { ScriptKey } from "#sandbox/script.ts";

import type { CheckedScript, KnownScript } from "./contract.ts";

/**
 * `uploading`: requested; it may or may not be in the namespace. `ready`: it was callable. `loader`: it cannot be a
 * script.
 */
export type ScriptState = "uploading" | "ready" | "loader";

export type Entry = { state: ScriptState; uploadedMs: number };

/** Time until an unused script is deleted: longer than any run, change or release takes. */
export const GRACE_MS = 24 * 60 * 60_000;

/** The scripts that we upload to a dispatch namespace. Written before each upload, so that none is lost. */
export class ScriptRegistry {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  find(name: string): Entry | undefined {
    const [row] = this.#sql
      .exec<{ state: ScriptState; uploadedMs: number }>(
        `SELECT state, uploaded_ms AS uploadedMs FROM scripts WHERE name = ?`,
        name,
      )
      .toArray();
    return row;
  }

  /** Record that a script is about to be used: from now on it is in use, and may be in the namespace. */
  begin({ name, owner, bundleHash }: KnownScript, nowMs: number): void {
    this.#sql.exec(
      `INSERT INTO scripts VALUES (?, ?, ?, 'uploading', 0, ?, ?, NULL)
       ON CONFLICT DO UPDATE SET state = 'uploading', provided_ms = ?, unused_since_ms = NULL`,
      name,
      owner,
      bundleHash,
      nowMs,
      nowMs,
      nowMs,
    );
  }

  /** Record that an uploaded script is about to be used. */
  touch(name: string, nowMs: number): void {
    this.#sql.exec(
      `UPDATE scripts SET provided_ms = ?, unused_since_ms = NULL WHERE name = ?`,
      nowMs,
      name,
    );
  }

  end(name: string, state: ScriptState, nowMs: number): void {
    this.#sql.exec(
      `UPDATE scripts SET state = ?, uploaded_ms = ? WHERE name = ?`,
      state,
      nowMs,
      name,
    );
  }

  /** Register a script that is in the namespace, but not here. */
  adopt({ name, owner, bundleHash }: KnownScript, nowMs: number): void {
    this.#sql.exec(
      `INSERT OR IGNORE INTO scripts VALUES (?, ?, ?, 'ready', ?, ?, 0, NULL)`,
      name,
      owner,
      bundleHash,
      nowMs,
      nowMs,
    );
  }

  leastChecked(limit: number): KnownScript[] {
    const query = `SELECT name, owner_id AS owner, bundle_hash AS bundleHash
                   FROM scripts ORDER BY checked_ms LIMIT ?`;
    return this.#sql
      .exec<{ name: string; owner: OwnerId; bundleHash: string }>(query, limit)
      .toArray() satisfies (ScriptKey & { name: string })[];
  }

  note({ name, isUsed }: CheckedScript, nowMs: number): void {
    this.#sql.exec(
      `UPDATE scripts SET checked_ms = ?,
         unused_since_ms = CASE WHEN ? THEN NULL ELSE coalesce(unused_since_ms, ?) END
       WHERE name = ?`,
      nowMs,
      isUsed ? 1 : 0,
      nowMs,
      name,
    );
  }

  /** Scripts that were neither requested nor used for so long that no run can still use them. */
  idle(nowMs: number, limit: number): string[] {
    const query = `SELECT name FROM scripts WHERE unused_since_ms <= ? AND provided_ms <= ? LIMIT ?`;
    return this.#sql
      .exec<{ name: string }>(query, nowMs - GRACE_MS, nowMs - GRACE_MS, limit)
      .toArray()
      .map(({ name }) => name);
  }

  isIdle(name: string, nowMs: number): boolean {
    const query = `SELECT 1 FROM scripts WHERE name = ? AND unused_since_ms <= ? AND provided_ms <= ?`;
    const before = nowMs - GRACE_MS;
    return this.#sql.exec(query, name, before, before).toArray().length > 0;
  }

  forget(name: string): void {
    this.#sql.exec(`DELETE FROM scripts WHERE name = ?`, name);
  }
}

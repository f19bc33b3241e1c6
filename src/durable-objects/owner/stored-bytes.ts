import { STORED_STEP_BYTES } from "#domain/quotas.ts";

/** The sizes of a payer's sources, workflows, webhooks, data stores and stashes, as they reported them. Small ones have no row. */
export class StoredBytes {
  readonly #sql: SqlStorage;
  #total: number | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Record the size of an object; undefined: it is not known. */
  record(objectId: string, bytes: number | undefined): void {
    if (bytes === undefined) return;
    const recorded = this.#of(objectId);
    if (Math.abs(bytes - recorded) < STORED_STEP_BYTES) return;
    this.#total = this.total() + bytes - recorded;
    if (bytes < STORED_STEP_BYTES) this.#delete(objectId);
    else
      this.#sql.exec(
        "INSERT OR REPLACE INTO stored_bytes (object_id, bytes) VALUES (?, ?)",
        objectId,
        bytes,
      );
  }

  /** Record that an object was erased. */
  remove(objectId: string): void {
    const recorded = this.#of(objectId);
    if (recorded === 0) return;
    this.#total = this.total() - recorded;
    this.#delete(objectId);
  }

  /** The sum of all objects. */
  total(): number {
    this.#total ??= this.#sql
      .exec<{ total: number }>("SELECT coalesce(sum(bytes), 0) AS total FROM stored_bytes")
      .one().total;
    return this.#total;
  }

  #of(objectId: string): number {
    const rows = this.#sql.exec<{ bytes: number }>(
      "SELECT bytes FROM stored_bytes WHERE object_id = ?",
      objectId,
    );
    return rows.toArray()[0]?.bytes ?? 0;
  }

  #delete(objectId: string): void {
    this.#sql.exec("DELETE FROM stored_bytes WHERE object_id = ?", objectId);
  }
}

import type { Deliveries } from "./deliveries.ts";

/** Maximum bytes of a webhook's waiting deliveries: further events stay in the outbox of their emitter. */
export const MAX_WAITING_BYTES = 2 ** 28;

/** Maximum bytes of all its deliveries: the oldest settled ones are deleted before their retention ends. */
const MAX_STORED_BYTES = 2 ** 30;

/** Part of these bytes that each deletion frees: each searches the oldest deliveries. */
const FREED_SHARE = 1 / 8;

/** A measurement is valid for this time, or until the storage has grown by so many bytes: it scans the waiting deliveries. */
const VALID_MS = 1000;
const VALID_BYTES = 2 ** 23;

type Measurement = { atMs: number; databaseBytes: number; bytes: number };

/** Bounds the bytes of a webhook's deliveries. */
export class DeliveryRoom {
  readonly #sql: SqlStorage;
  readonly #deliveries: Pick<Deliveries, "firstUnsettled">;
  readonly #maxStoredBytes: number;
  #last: Measurement | undefined;

  constructor(
    sql: SqlStorage,
    deliveries: Pick<Deliveries, "firstUnsettled">,
    maxStoredBytes = MAX_STORED_BYTES,
  ) {
    this.#sql = sql;
    this.#deliveries = deliveries;
    this.#maxStoredBytes = maxStoredBytes;
  }

  /** Whether another delivery may wait. */
  hasRoom(): boolean {
    return this.#waitingBytes() < MAX_WAITING_BYTES;
  }

  /** Whether so few wait that the webhook will not be full again soon. */
  isRelieved(): boolean {
    return this.#waitingBytes() < MAX_WAITING_BYTES / 2;
  }

  /** Delete the oldest settled deliveries if all take too many bytes. */
  trim(): void {
    const freeBytes = this.#maxStoredBytes * FREED_SHARE;
    if (this.#sql.databaseSize <= this.#maxStoredBytes) return;
    let bytes = 0;
    for (const row of this.#settled()) {
      bytes += row.bytes;
      if (bytes < freeBytes) continue;
      this.#sql.exec(
        "DELETE FROM deliveries WHERE position <= ? AND settled_ms NOT NULL",
        row.position,
      );
      return;
    }
  }

  #settled(): Iterable<{ position: number; bytes: number }> {
    return this.#sql.exec<{ position: number; bytes: number }>(
      `SELECT position, octet_length(attempts) + octet_length(payload) + coalesce(octet_length(last_response), 0) AS bytes
       FROM deliveries WHERE settled_ms NOT NULL ORDER BY position`,
    );
  }

  #waitingBytes(): number {
    const databaseBytes = this.#sql.databaseSize;
    if (databaseBytes < MAX_WAITING_BYTES / 2) return 0;
    const nowMs = Date.now();
    const last = this.#last;
    const isValid =
      last && nowMs - last.atMs < VALID_MS && databaseBytes - last.databaseBytes < VALID_BYTES;
    if (isValid) return last.bytes;
    const from = this.#deliveries.firstUnsettled() ?? Number.MAX_SAFE_INTEGER;
    const { bytes } = this.#sql
      .exec<{ bytes: number }>(
        `SELECT coalesce(sum(octet_length(payload)), 0) AS bytes FROM deliveries
         WHERE position >= ? AND settled_ms IS NULL`,
        from,
      )
      .one();
    this.#last = { atMs: nowMs, databaseBytes, bytes };
    return bytes;
  }
}

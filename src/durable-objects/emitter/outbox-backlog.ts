/** Maximum bytes of events that wait for their listeners, and of delayed ones. Each may be exceeded by the runs in progress. */
export const MAX_WAITING_BYTES = 2 ** 27;

/** A measurement is valid for this time, or until the storage has grown by so many bytes: it scans all events. */
const VALID_MS = 1000;
const VALID_BYTES = 2 ** 23;

type Measurement = { atMs: number; databaseBytes: number; undelivered: number; delayed: number };

/** The bytes of an emitter's events that cannot be dropped: those without all their listeners, and those that are not due yet. */
export class OutboxBacklog {
  readonly #sql: SqlStorage;
  #last: Measurement | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether no run should begin, because its events would wait too. */
  isFull(): boolean {
    return this.#measure().undelivered >= MAX_WAITING_BYTES;
  }

  /** Whether no more delayed events should be stored. */
  isFullOfDelayed(): boolean {
    return this.#measure().delayed >= MAX_WAITING_BYTES;
  }

  #measure(): Pick<Measurement, "undelivered" | "delayed"> {
    const databaseBytes = this.#sql.databaseSize;
    if (databaseBytes < MAX_WAITING_BYTES) return { undelivered: 0, delayed: 0 };
    const nowMs = Date.now();
    const last = this.#last;
    const isValid =
      last && nowMs - last.atMs < VALID_MS && databaseBytes - last.databaseBytes < VALID_BYTES;
    if (isValid) return last;
    const bytes = this.#sql
      .exec<{ undelivered: number; delayed: number }>(
        `SELECT coalesce(sum(octet_length(payload) * undelivered), 0) AS undelivered,
           coalesce(sum(octet_length(payload) * (due_ms NOT NULL)), 0) AS delayed FROM events`,
      )
      .one();
    this.#last = { atMs: nowMs, databaseBytes, ...bytes };
    return this.#last;
  }
}

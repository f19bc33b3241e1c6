import { byteLength, MAX_STORE_BYTES } from "#domain/data-store.ts";

import type {
  RecordPage,
  RecordQuery,
  RecordStretch,
  StoredRecord,
  StoreSize,
} from "./contract.ts";

type Row = { key: string; expires_ms: number | null; updated_ms: number; value: string };

/** Maximum expired records that one sweep deletes. */
const MAX_PER_SWEEP = 1000;

/** Maximum records of one list request. */
const MAX_PER_LIST = 1000;
const MAX_LIST_BYTES = 1024 * 1024;

const COLUMNS = "key, expires_ms, updated_ms, value";
const ALIVE = "(expires_ms IS NULL OR expires_ms > ?)";

/** The stored records of a data store. An expired one does not exist for any reader from that millisecond on. */
export class Records {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
  }

  get(key: string, nowMs: number): StoredRecord | undefined {
    const query = `SELECT ${COLUMNS} FROM records WHERE key = ? AND ${ALIVE}`;
    const [row] = this.#sql.exec<Row>(query, key, nowMs);
    return row && toRecord(row);
  }

  /** Write a record; replaces one with the same key. False if the store has no room for it. */
  put(record: StoredRecord): boolean {
    const { key, value, updatedAtMs, expiresAtMs } = record;
    const bytes = byteLength(key) + byteLength(value);
    return this.#storage.transactionSync(() => {
      if (!this.#fits(key, bytes)) {
        this.#sweep(updatedAtMs, Number.MAX_SAFE_INTEGER);
        if (!this.#fits(key, bytes)) return false;
      }
      const replaced = this.#bytesOf(key);
      this.#sql.exec(
        "INSERT OR REPLACE INTO records (key, expires_ms, updated_ms, bytes, value) VALUES (?, ?, ?, ?, ?)",
        key,
        expiresAtMs,
        updatedAtMs,
        bytes,
        value,
      );
      this.#account(replaced === undefined ? 1 : 0, bytes - (replaced ?? 0));
      return true;
    });
  }

  /** Change the expiry of a record. False if there is none. */
  setExpiry(key: string, expiresAtMs: number | null, nowMs: number): boolean {
    const query = `UPDATE records SET expires_ms = ? WHERE key = ? AND ${ALIVE} RETURNING 1`;
    return [...this.#sql.exec(query, expiresAtMs, key, nowMs)].length > 0;
  }

  /** Delete a record. Returns whether it existed. */
  delete(key: string, nowMs: number): boolean {
    return this.#storage.transactionSync(() => {
      const [gone] = this.#sql.exec<{ bytes: number; alive: number }>(
        `DELETE FROM records WHERE key = ? RETURNING bytes, ${ALIVE} AS alive`,
        key,
        nowMs,
      );
      if (gone) this.#account(-1, -gone.bytes);
      return gone?.alive === 1;
    });
  }

  clear(): void {
    this.#storage.transactionSync(() => {
      this.#sql.exec("DELETE FROM records");
      this.#sql.exec("UPDATE totals SET records = 0, bytes = 0");
    });
  }

  /** Some records after a key, as many as fit into one call, and whether these were the last. */
  list(after: string | null, nowMs: number): RecordStretch {
    const query = `SELECT ${COLUMNS} FROM records WHERE key > ? AND ${ALIVE} ORDER BY key`;
    const records: StoredRecord[] = [];
    let bytes = 0;
    for (const row of this.#sql.exec<Row>(query, after ?? "", nowMs)) {
      if (records.length === MAX_PER_LIST || bytes >= MAX_LIST_BYTES)
        return { records, isLast: false };
      records.push(toRecord(row));
      bytes += row.key.length + row.value.length;
    }
    return { records, isLast: true };
  }

  /** Some keys after a key, as `list` does, without their values. */
  keys(
    after: string | null,
    nowMs: number,
  ): { records: { key: string; value: string }[]; isLast: boolean } {
    const query = `SELECT key FROM records WHERE key > ? AND ${ALIVE} ORDER BY key LIMIT ?`;
    const rows = this.#sql.exec<{ key: string }>(query, after ?? "", nowMs, MAX_PER_LIST + 1);
    const keys = [...rows].map(({ key }) => ({ key, value: "" }));
    return { records: keys.slice(0, MAX_PER_LIST), isLast: keys.length <= MAX_PER_LIST };
  }

  page({ limit, after, before }: RecordQuery, nowMs: number): RecordPage {
    const within = before === undefined ? "key > ?" : "key < ?";
    const order = before === undefined ? "ASC" : "DESC";
    const rows = this.#sql.exec<Row>(
      `SELECT ${COLUMNS} FROM records WHERE ${within} AND ${ALIVE} ORDER BY key ${order} LIMIT ?`,
      before ?? after ?? "",
      nowMs,
      limit,
    );
    const records = [...rows].map((row) => toRecord(row));
    return {
      records: before === undefined ? records : records.toReversed(),
      totalCount: this.size(nowMs).records,
    };
  }

  size(nowMs: number): StoreSize {
    const { records, bytes } = this.#totals();
    const expired = this.#sql
      .exec<StoreSize>(
        "SELECT count(*) AS records, coalesce(sum(bytes), 0) AS bytes FROM records WHERE expires_ms <= ?",
        nowMs,
      )
      .one();
    return { records: records - expired.records, bytes: bytes - expired.bytes };
  }

  /** The time of the next expiry, epoch milliseconds. */
  nextExpiryMs(): number | undefined {
    const query = "SELECT min(expires_ms) AS ms FROM records WHERE expires_ms NOT NULL";
    return this.#sql.exec<{ ms: number | null }>(query).one().ms ?? undefined;
  }

  /** Free the space of some of the expired records. */
  sweep(nowMs: number): void {
    this.#storage.transactionSync(() => this.#sweep(nowMs, MAX_PER_SWEEP));
  }

  #sweep(nowMs: number, most: number): void {
    const gone = this.#sql.exec<{ bytes: number }>(
      `DELETE FROM records WHERE key IN
         (SELECT key FROM records WHERE expires_ms <= ? ORDER BY expires_ms LIMIT ?) RETURNING bytes`,
      nowMs,
      most,
    );
    const sizes = [...gone].map(({ bytes }) => bytes);
    const freed = sizes.reduce((sum, bytes) => sum + bytes, 0);
    if (sizes.length > 0) this.#account(-sizes.length, -freed);
  }

  #fits(key: string, bytes: number): boolean {
    return this.#totals().bytes - (this.#bytesOf(key) ?? 0) + bytes <= MAX_STORE_BYTES;
  }

  #bytesOf(key: string): number | undefined {
    const [row] = this.#sql.exec<{ bytes: number }>("SELECT bytes FROM records WHERE key = ?", key);
    return row?.bytes;
  }

  #totals(): StoreSize {
    return this.#sql.exec<StoreSize>("SELECT records, bytes FROM totals").one();
  }

  #account(records: number, bytes: number): void {
    const query = "UPDATE totals SET records = records + ?, bytes = bytes + ?";
    this.#sql.exec(query, records, bytes);
  }
}

function toRecord({ key, value, expires_ms, updated_ms }: Row): StoredRecord {
  return { key, value, updatedAtMs: updated_ms, expiresAtMs: expires_ms };
}

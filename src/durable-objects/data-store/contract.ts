import type { StoreReply, StoreRequest } from "#domain/data-store.ts";

/** One stored record: its value is JSON text. */
export type StoredRecord = {
  key: string;
  value: string;
  updatedAtMs: number;
  /** The time of its expiry; null: never. */
  expiresAtMs: number | null;
};

export type RecordQuery = {
  limit: number;
  /** Keys, exclusive. At most one of the two. */
  after?: string | undefined;
  before?: string | undefined;
};

/** By key, in the order of their UTF-8 bytes. */
export type RecordPage = { records: StoredRecord[]; totalCount: number };

/** Some records in the order of their keys, as many as fit into one call. */
export type RecordStretch = { records: StoredRecord[]; isLast: boolean };

/** The size of a store; expired records do not count. */
export type StoreSize = { records: number; bytes: number };

/** The methods of `DataStoreObject` that others may call. */
export type DataStoreControl = {
  /** Set up the store. */
  open(): Promise<void>;
  /** Handle a request of a component. Each is atomic, and durable when it returns. */
  perform(request: StoreRequest): Promise<StoreReply>;
  record(key: string): Promise<StoredRecord | null>;
  page(query: RecordQuery): Promise<RecordPage>;
  /** Records after a key, for a backup. */
  stretch(after: string): Promise<RecordStretch>;
  /**
   * Import records of a backup. Existing keys keep their records. Returns the number of accepted records; null if the
   * store was deleted, or has no room for all of them.
   */
  restore(records: StoredRecord[]): Promise<number | null>;
  size(): Promise<StoreSize>;
  /** Set the needed alarm if it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Erase everything at once. */
  remove(): Promise<void>;
};

import type { StoreReply, StoreRequest } from "../domain/data-store.ts";

/** One record as it is kept: its value is JSON text. */
export type StoredRecord = {
  key: string;
  value: string;
  updatedAtMs: number;
  /** When it goes by itself; null: never. */
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

/** How much a store holds; what has expired does not count. */
export type StoreSize = { records: number; bytes: number };

/** What others ask of a data store: the methods of `DataStoreObject` that they may call. */
export type DataStoreControl = {
  /** Begin to hold records. */
  open(): Promise<void>;
  /** Do what a component asks. Each request is atomic, and durable when it is answered. */
  perform(request: StoreRequest): Promise<StoreReply>;
  record(key: string): Promise<StoredRecord | null>;
  page(query: RecordQuery): Promise<RecordPage>;
  size(): Promise<StoreSize>;
  /** Set the alarm that is needed, where it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Erase everything at once. */
  remove(): Promise<void>;
};

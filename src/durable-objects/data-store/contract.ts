import type { StoreReply, StoreRequest } from "#domain/data-store.ts";

/** One record as it is kept: its value is JSON text. */
export type StoredRecord = {
  key: string;
  value: string;
  updatedAtMs: number;
  /** When it expires; null: never. */
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

/** Some records in the order of their keys, as many as are carried well at once. */
export type RecordStretch = { records: StoredRecord[]; isLast: boolean };

/** The size of a store; expired records do not count. */
export type StoreSize = { records: number; bytes: number };

/** The methods of `DataStoreObject` that others may call. */
export type DataStoreControl = {
  /** Begin to hold records. */
  open(): Promise<void>;
  /** Handle a request of a component. Each is atomic, and durable when it returns. */
  perform(request: StoreRequest): Promise<StoreReply>;
  record(key: string): Promise<StoredRecord | null>;
  page(query: RecordQuery): Promise<RecordPage>;
  /** Records after a key, for a backup. */
  stretch(after: string): Promise<RecordStretch>;
  /**
   * Import records of a backup. Those whose keys are there already stay as they are. Returns how many
were accepted; null where the store is gone, or has no room for all of them.
   */
  restore(records: StoredRecord[]): Promise<number | null>;
  size(): Promise<StoreSize>;
  /** Set the alarm that is needed, where it was lost. Returns whether it was. */
  keepAlarm(): Promise<boolean>;
  /** Erase everything at once. */
  remove(): Promise<void>;
};

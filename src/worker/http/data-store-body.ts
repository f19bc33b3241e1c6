import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import { recordOf } from "#domain/page.ts";
import type { DataStore, RecordPage, StoredRecord, StoreSize } from "#services/data-stores.ts";

import type { AppEnv } from "./env.ts";
import { cursor, idOf, Limit, oneCursor } from "./openapi.ts";
import { pageInfo } from "./pages.ts";

export const DataStoreBody = z
  .object({
    id: z.string(),
    owner_id: z.string(),
    user_id: z.string().nullable(),
    name: z.string(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("DataStore");

export const DataStoreDetails = DataStoreBody.extend({
  record_count: z.int(),
  size_bytes: z.int(),
}).openapi("DataStoreDetails");

export const RecordBody = z
  .object({
    key: z.string(),
    value: z.any(),
    updated_at_ms: z.int(),
    expires_at_ms: z.int().nullable(),
  })
  .openapi("Record");

export const DataStoreId = z.object({ id: idOf("data_store", "ds_5d0") });

export const StoreName = z.string().trim().min(1).max(256);

/** The parameters of a list of records, in the order of keys. */
export const RecordsQuery = z
  .object({ limit: Limit, after: cursor(recordOf), before: cursor(recordOf) })
  .refine(oneCursor.check, oneCursor.issue);

export function presentStore(store: DataStore): z.input<typeof DataStoreBody> {
  return {
    id: store.id,
    owner_id: store.ownerId,
    user_id: store.userId,
    name: store.name,
    created_at: store.createdAt,
    updated_at: store.updatedAt,
  };
}

export function presentDetails({ store, size }: { store: DataStore; size: StoreSize }) {
  return { ...presentStore(store), record_count: size.records, size_bytes: size.bytes };
}

export function presentRecord(record: StoredRecord): z.input<typeof RecordBody> {
  return {
    key: record.key,
    value: JSON.parse(record.value),
    updated_at_ms: record.updatedAtMs,
    expires_at_ms: record.expiresAtMs,
  };
}

export async function recordsBody(c: Context<AppEnv>, { records: items, totalCount }: RecordPage) {
  const page_info = await pageInfo(c, { items, totalCount }, ({ key }) => ({
    kind: "record",
    key,
  }));
  return { page_info, data: items.map((record) => presentRecord(record)) };
}

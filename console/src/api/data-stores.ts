import { queryOptions } from "@tanstack/react-query";
import type { components } from "@wellspring/client";

import { api } from "./client.ts";
import type { List, Page } from "./pages.ts";
import { request } from "./request.ts";

type Schemas = components["schemas"];

export type DataStore = Schemas["DataStore"];
export type StoredRecord = Schemas["Record"];

/** Data stores of the user, or of a workspace. */
export function dataStoresList(org: string | undefined): List<DataStore> {
  const owner = org === undefined ? "users/me" : `workspaces/${encodeURIComponent(org)}`;
  return {
    queryKey: ["data_stores", "list", org],
    read: ({ signal, ...cursor }) =>
      request<Page<DataStore>>("GET", `/v1/${owner}/data_stores`, {
        query: cursor,
        signal,
      }),
  };
}

export function dataStoreQuery(id: string) {
  return queryOptions({
    queryKey: ["data_stores", id],
    queryFn: async () => (await api.get("/data_stores/{id}", { params: { path: { id } } })).data,
  });
}

export function recordsList(id: string): List<StoredRecord> {
  return {
    queryKey: ["data_stores", id, "records"],
    read: ({ signal, ...cursor }) =>
      api.get("/data_stores/{id}/records", {
        params: { path: { id }, query: cursor },
        signal,
      }),
    readItem: (key, signal) => readRecord(id, key, signal),
  };
}

async function readRecord(id: string, key: string, signal?: AbortSignal): Promise<StoredRecord> {
  const init = signal ? { signal } : {};
  return (await request<{ data: StoredRecord }>("GET", recordPath(id, key), init)).data;
}

/**
 * A record, apart from the list: refetching the list must not read a deleted record. It is not cached once it is
 * closed.
 */
export function recordQuery(id: string, key: string) {
  return queryOptions({
    queryKey: ["data_stores", id, "record", key],
    gcTime: 0,
    queryFn: () => readRecord(id, key),
  });
}

export async function createDataStore(name: string, org: string | undefined) {
  const owner = org === undefined ? {} : { org_id: org };
  return (await api.post("/data_stores", { body: { name, ...owner } })).data;
}

export async function deleteDataStore(id: string): Promise<void> {
  await api.delete("/data_stores/{id}", { params: { path: { id } } });
}

/** Stores the JSON value of a key. `ttl` is in seconds; without it the record does not expire. */
export async function putRecord(
  id: string,
  { key, value, ttl }: { key: string; value: unknown; ttl?: number },
): Promise<void> {
  await request("PUT", recordPath(id, key), { body: { value, ...(ttl !== undefined && { ttl }) } });
}

export async function deleteRecord(id: string, key: string): Promise<void> {
  await request("DELETE", recordPath(id, key));
}

function recordPath(id: string, key: string): string {
  return `/v1/data_stores/${encodeURIComponent(id)}/records/${encodeURIComponent(key)}`;
}

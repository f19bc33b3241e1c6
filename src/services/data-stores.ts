import * as store from "#db/data-stores.ts";
import { ownerExists } from "#db/owners.ts";
import type { StoreRequest } from "#domain/data-store.ts";
import { DATA_STORE, type PropDefinition } from "#domain/definition.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Id, isId, newId, type OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import type { Values } from "#domain/props.ts";
import type {
  DataStoreControl,
  RecordPage,
  RecordQuery,
  StoredRecord,
  StoreSize,
} from "#durable-objects/data-store/contract.ts";

import { ownerFor, requireMember } from "./access.ts";
import type { AppContext, Context } from "./context.ts";

export type { RecordPage, StoredRecord, StoreSize } from "#durable-objects/data-store/contract.ts";
export type { DataStore } from "#db/data-stores.ts";

type StoreId = Id<"data_store">;

/** The caller of a data store: a user, who needs access to it, or the operator. */
type Asker = AppContext & Partial<Pick<Context, "actor">>;

export async function createDataStore(
  ctx: Context,
  { name, workspace }: { name: string; workspace?: Id<"workspace"> | undefined },
): Promise<store.DataStore> {
  const ownerId = await ownerFor(ctx, workspace);
  return makeDataStore(ctx, { name, ownerId, userId: ctx.actor.id });
}

/** Create a data store for a user or a workspace, as the operator. */
export async function createDataStoreFor(
  ctx: Pick<AppContext, "dataStores" | "db" | "now">,
  { name, ownerId }: { name: string; ownerId: OwnerId },
): Promise<store.DataStore> {
  if (!(await ownerExists(ctx.db, ownerId)))
    throw invalidInput([{ path: "owner_id", message: "there is no such user or workspace" }]);
  return makeDataStore(ctx, { name, ownerId, userId: null });
}

async function makeDataStore(
  ctx: Pick<AppContext, "dataStores" | "db" | "now">,
  owned: Pick<store.DataStore, "name" | "ownerId" | "userId">,
): Promise<store.DataStore> {
  const id = newId("data_store");
  const at = ctx.now();
  // The object first: a row without its object would be a store that refuses everything.
  await ctx.dataStores(id).open();
  return store.insertDataStore(ctx.db, { id, ...owned, createdAt: at, updatedAt: at });
}

/** The data stores of the workspace that the request names; else those that the actor owns in person. */
export function listDataStores(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  request: PageRequest,
): Promise<Page<store.DataStore>> {
  return store.pageOfDataStores(ctx.db, ctx.workspace ?? ctx.actor.id, request);
}

export async function listWorkspaceDataStores(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  workspace: Id<"workspace">,
  request: PageRequest,
): Promise<Page<store.DataStore>> {
  await requireMember(ctx, workspace);
  return store.pageOfDataStores(ctx.db, workspace, request);
}

/** The data stores of an owner, or all of them. */
export function listAllDataStores(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId | undefined,
  request: PageRequest,
): Promise<Page<store.DataStore>> {
  return store.pageOfDataStores(ctx.db, owner, request);
}

/** A data store and its size. */
export async function getDataStore(
  ctx: Asker,
  id: StoreId,
): Promise<{ store: store.DataStore; size: StoreSize }> {
  const found = await dataStoreFor(ctx, id);
  return { store: found, size: await ctx.dataStores(id).size() };
}

/** Delete a data store with all its records. Components with it in a prop are refused from then on. */
export async function deleteDataStore(ctx: Asker, id: StoreId): Promise<void> {
  const existed = await store.deleteDataStore(ctx.db, { id, at: ctx.now() }, ctx.actor?.id);
  if (!existed) throw notFound("data_store", id);
  await ctx.dataStores(id).remove();
}

export async function listRecords(
  ctx: Asker,
  id: StoreId,
  query: RecordQuery,
): Promise<RecordPage> {
  return (await openStore(ctx, id)).page(query);
}

export async function getRecord(ctx: Asker, id: StoreId, key: string): Promise<StoredRecord> {
  const record = await (await openStore(ctx, id)).record(key);
  if (!record) throw noRecord(id, key);
  return record;
}

/** Store a value, JSON text, under a key: for `ttl` seconds, or for ever. */
export async function putRecord(
  ctx: Context,
  id: StoreId,
  { key, value, ttl }: { key: string; value: string; ttl: number | null },
): Promise<StoredRecord> {
  const records = await openStore(ctx, id);
  await perform(records, { op: "set", key, value, ttl });
  const record = await records.record(key);
  if (!record) throw noRecord(id, key);
  return record;
}

export async function deleteRecord(ctx: Context, id: StoreId, key: string): Promise<void> {
  const existed = await perform(await openStore(ctx, id), { op: "delete", key });
  if (!existed) throw noRecord(id, key);
}

/** Refuse a configuration with data stores that do not exist or belong to others. */
export async function checkStores(
  ctx: Pick<AppContext, "db">,
  owner: OwnerId,
  { props, values }: { props: readonly PropDefinition[]; values: Values },
): Promise<void> {
  const chosen = props.flatMap(({ name, type }) => {
    const id = type === DATA_STORE ? values[name] : undefined;
    return typeof id === "string" && isId("data_store", id) ? [{ name, id }] : [];
  });
  if (chosen.length === 0) return;
  const ids = chosen.map(({ id }) => id);
  const owned = await store.storesOwnedBy(ctx.db, owner, ids);
  const missing = chosen.filter(({ id }) => !owned.has(id));
  if (missing.length === 0) return;
  const message = "there is no such data store that belongs to the owner of the component";
  throw invalidInput(missing.map(({ name }) => ({ path: `configured_props.${name}`, message })));
}

async function perform(records: DataStoreControl, request: StoreRequest): Promise<boolean> {
  const reply = await records.perform(request);
  if (!reply.ok) throw new RequestError("invalid_input", reply.message);
  return "found" in reply && reply.found;
}

async function openStore(ctx: Asker, id: StoreId): Promise<DataStoreControl> {
  await dataStoreFor(ctx, id);
  return ctx.dataStores(id);
}

async function dataStoreFor(ctx: Asker, id: StoreId): Promise<store.DataStore> {
  const found = await store.dataStoreById(ctx.db, id, ctx.actor?.id);
  if (!found) throw notFound("data_store", id);
  return found;
}

function noRecord(id: StoreId, key: string): RequestError {
  return new RequestError("not_found", `${id} has no record with key ${key}`);
}

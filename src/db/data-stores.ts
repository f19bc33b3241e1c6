import { and, count, eq, inArray } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { countOf, newestFirst, pageBounds } from "./page.ts";
import { noteRemoval } from "./removals.ts";
import { dataStores } from "./schema/tables.ts";

export type DataStore = typeof dataStores.$inferSelect;

export async function insertDataStore(
  db: Database,
  store: Omit<DataStore, "seq">,
): Promise<DataStore> {
  const [inserted] = await db.insert(dataStores).values(store).returning();
  if (!inserted) throw new Error(`The row of ${store.id} was not written`);
  return inserted;
}

/** A data store that the user may see; without a user, any. */
export async function dataStoreById(
  db: Database,
  id: Id<"data_store">,
  user?: ActorId,
): Promise<DataStore | undefined> {
  const [store] = await db
    .select()
    .from(dataStores)
    .where(and(eq(dataStores.id, id), user && isAccessible(db, dataStores.ownerId, user)));
  return store;
}

/** The data stores of one owner; of every owner if none is given. */
export async function pageOfDataStores(
  db: Database,
  owner: OwnerId | undefined,
  request: PageRequest,
): Promise<Page<DataStore>> {
  const owned = owner && eq(dataStores.ownerId, owner);
  const { within, order } = pageBounds(dataStores.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(dataStores).where(and(owned, within)).orderBy(order).limit(request.limit),
    owner ? countOf(db, owner, "data_store") : db.select({ count: count() }).from(dataStores),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Filter data stores by owner. At most a hundred per query. */
export async function storesOwnedBy(
  db: Database,
  owner: OwnerId,
  ids: readonly Id<"data_store">[],
): Promise<Set<Id<"data_store">>> {
  const found = await db
    .select({ id: dataStores.id })
    .from(dataStores)
    .where(and(eq(dataStores.ownerId, owner), inArray(dataStores.id, ids.slice(0, 99))));
  return new Set(found.map(({ id }) => id));
}

/** Delete a data store that the user may see; without a user, any. Returns whether it existed. */
export async function deleteDataStore(
  db: Database,
  { id, at }: { id: Id<"data_store">; at: number },
  user?: ActorId,
): Promise<boolean> {
  const isTheirs = and(eq(dataStores.id, id), user && isAccessible(db, dataStores.ownerId, user));
  const [, deleted] = await db.batch([
    noteRemoval(db, dataStores, isTheirs, at),
    db.delete(dataStores).where(isTheirs).returning({ id: dataStores.id }),
  ]);
  return deleted.length > 0;
}

import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, or, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { registryImportItems as items, registryImports as imports } from "./schema/imports.ts";

export type RegistryImport = typeof imports.$inferSelect;
export type ImportItem = typeof items.$inferSelect;
export type ItemState = ImportItem["state"];

/** The number of an import's components in each state. */
export type ImportCounts = Record<ItemState, number>;

/** Insert an import. False if its owner has the maximum under way. */
export async function insertImport(
  db: Database,
  row: Omit<RegistryImport, "seq">,
  mostOpen: number,
): Promise<boolean> {
  const open = sql`(SELECT count(*) FROM ${imports} AS open
    WHERE open.owner_id = ${row.ownerId} AND open.state IN ('awaiting_archive', 'running'))`;
  const [, left] = await db.batch([
    db.insert(imports).values(row),
    db
      .delete(imports)
      .where(and(eq(imports.id, row.id), sql`${open} > ${mostOpen}`))
      .returning({ id: imports.id }),
  ]);
  return left.length === 0;
}

export async function importById(
  db: Database,
  id: Id<"registry_import">,
): Promise<RegistryImport | undefined> {
  const [found] = await db.select().from(imports).where(eq(imports.id, id));
  return found;
}

/** An import that a user may see, of the user's own or of a workspace, and its progress. */
export async function importSeen(
  db: Database,
  user: OwnerId,
  id: Id<"registry_import">,
): Promise<(RegistryImport & { counts: ImportCounts }) | undefined> {
  const [[found], counts] = await db.batch([
    db
      .select()
      .from(imports)
      .where(and(eq(imports.id, id), isAccessible(db, imports.ownerId, user))),
    countsQuery(db, id),
  ]);
  return found && { ...found, counts: countsIn(counts) };
}

/** Imports under way with uploaded archives, in the order of their ids, after one of them. */
export async function uploadedImports(
  db: Database,
  { after, limit }: { after: string; limit: number },
): Promise<Id<"registry_import">[]> {
  const rows = await db
    .select({ id: imports.id })
    .from(imports)
    .where(and(eq(imports.state, "running"), isNull(imports.url), sql`${imports.id} > ${after}`))
    .orderBy(asc(imports.id))
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function pageOfImports(
  db: Database,
  owner: OwnerId,
  request: PageRequest,
): Promise<Page<RegistryImport>> {
  const { within, order } = pageBounds(imports.seq, request);
  const isOwned = eq(imports.ownerId, owner);
  const [rows, [total]] = await db.batch([
    db.select().from(imports).where(and(isOwned, within)).orderBy(order).limit(request.limit),
    db
      .select({ count: sql<number>`count(*)` })
      .from(imports)
      .where(isOwned),
  ]);
  return { items: newestFirst(rows, request), totalCount: total?.count ?? 0 };
}

function countsQuery(db: Database, id: Id<"registry_import">) {
  return db
    .select({ state: items.state, count: sql<number>`count(*)`.as("count") })
    .from(items)
    .where(eq(items.importId, id))
    .groupBy(items.state);
}

function countsIn(rows: { state: ItemState; count: number }[]): ImportCounts {
  const counts = { waiting: 0, published: 0, unchanged: 0, refused: 0, failed: 0 };
  for (const { state, count } of rows) counts[state] = count;
  return counts;
}

/**
 * Components of an import that a user may see, after one of them, in the order of their paths. Undefined: no such
 * import.
 */
export async function itemsAfter(
  db: Database,
  user: OwnerId,
  {
    id,
    state,
    after,
    limit,
  }: {
    id: Id<"registry_import">;
    state?: ItemState | undefined;
    after: number;
    limit: number;
  },
): Promise<ImportItem[] | undefined> {
  const isWanted = state === undefined ? undefined : eq(items.state, state);
  const [[seen], found] = await db.batch([
    db
      .select({ id: imports.id })
      .from(imports)
      .where(and(eq(imports.id, id), isAccessible(db, imports.ownerId, user))),
    db
      .select()
      .from(items)
      .where(and(eq(items.importId, id), isWanted, gt(items.number, after)))
      .orderBy(asc(items.number))
      .limit(limit),
  ]);
  return seen && found;
}

/**
 * Record that a workflow was started for an import. Returns the number of starts; undefined if the state does not allow
 * it: another caller was first, or the import has ended.
 */
export async function noteStart(
  db: Database,
  id: Id<"registry_import">,
  { starts, at }: { starts: number; at: number },
): Promise<number | undefined> {
  const [started] = await db
    .update(imports)
    .set({ state: "running", starts: starts + 1, updatedAt: at })
    .where(
      and(
        eq(imports.id, id),
        eq(imports.starts, starts),
        inArray(imports.state, ["awaiting_archive", "running"]),
      ),
    )
    .returning({ starts: imports.starts });
  return started?.starts;
}

/** Record that an import has ended; with an error, that it failed. */
export async function noteEnd(
  db: Database,
  id: Id<"registry_import">,
  { error, at }: { error: string | null; at: number },
): Promise<void> {
  await db
    .update(imports)
    .set({ state: error === null ? "ended" : "failed", error, updatedAt: at })
    .where(and(eq(imports.id, id), inArray(imports.state, ["awaiting_archive", "running"])));
}

/** Imports that may have leftovers: ended ones, and those without progress since a time. */
export async function quietImports(
  db: Database,
  {
    before,
    limit,
  }: { before: { awaiting: number; running: number; ended: number }; limit: number },
): Promise<RegistryImport[]> {
  const isQuiet = or(
    and(eq(imports.state, "awaiting_archive"), lt(imports.updatedAt, before.awaiting)),
    and(eq(imports.state, "running"), lt(imports.updatedAt, before.running)),
    and(inArray(imports.state, ["ended", "failed"]), lt(imports.updatedAt, before.ended)),
  );
  return db
    .select()
    .from(imports)
    .where(and(isNull(imports.clearedAt), isQuiet))
    .orderBy(asc(imports.updatedAt))
    .limit(limit);
}

export async function noteCleared(
  db: Database,
  id: Id<"registry_import">,
  at: number,
): Promise<void> {
  await db.update(imports).set({ clearedAt: at }).where(eq(imports.id, id));
}

/**
 * For a batch: stop the imports of a departing owner, whose files the sweep then deletes, and delete those without
 * files.
 */
export function endImports(db: Database, owner: OwnerId) {
  const isOwned = eq(imports.ownerId, owner);
  const cleared = and(isOwned, isNotNull(imports.clearedAt));
  const ids = db.select({ id: imports.id }).from(imports).where(cleared);
  return [
    db
      .update(imports)
      .set({ state: "failed", updatedAt: 0 })
      .where(and(isOwned, isNull(imports.clearedAt))),
    db.delete(items).where(inArray(items.importId, ids)),
    db.delete(imports).where(cleared),
  ] as const;
}

/** Delete an owner's imports except the newest, with their components' outcomes. */
export async function forgetImports(db: Database, owner: OwnerId, kept: number): Promise<void> {
  const old = db
    .select({ id: imports.id })
    .from(imports)
    .where(and(eq(imports.ownerId, owner), sql`${imports.clearedAt} IS NOT NULL`))
    .orderBy(desc(imports.seq))
    .limit(1000)
    .offset(kept);
  await db.batch([
    db.delete(items).where(inArray(items.importId, old)),
    db.delete(imports).where(inArray(imports.id, old)),
  ]);
}

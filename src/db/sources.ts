import { and, count, desc, eq, lt, type SQL, sql } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { countOf, filterOf, newestFirst, pageBounds } from "./page.ts";
import { sources } from "./schema/tables.ts";
import { membershipQuery } from "./workspaces.ts";

export type Source = typeof sources.$inferSelect;
export type NewSource = Omit<Source, "seq" | "nameSlug">;

/** A live source that the user may see. */
export async function sourceById(
  db: Database,
  user: ActorId,
  id: Id<"source">,
): Promise<Source | undefined> {
  const [source] = await db
    .select()
    .from(sources)
    .where(isLiveFor(db, user, id));
  return source;
}

/** The condition that finds a live source if the user may see it. */
export function isLiveFor(db: Database, user: OwnerId, id: Id<"source">): SQL | undefined {
  return and(
    eq(sources.id, id),
    eq(sources.state, "live"),
    isAccessible(db, sources.ownerId, user),
  );
}

export async function pageOfSources(
  db: Database,
  owner: OwnerId,
  request: FilteredRequest,
): Promise<Page<Source>> {
  const [items, [total]] = await db.batch(pageQueries(db, owner, request));
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** The newest live sources of an owner. */
export async function newestSources(
  db: Database,
  owner: OwnerId,
  limit: number,
): Promise<Id<"source">[]> {
  const rows = await db
    .select({ id: sources.id })
    .from(sources)
    .where(and(eq(sources.ownerId, owner), eq(sources.state, "live")))
    .orderBy(desc(sources.seq))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** A page of a workspace's sources, or undefined if the user does not belong to the workspace. */
export async function pageOfWorkspaceSources(
  db: Database,
  { user, workspace }: { user: ActorId; workspace: Id<"workspace"> },
  request: FilteredRequest,
): Promise<Page<Source> | undefined> {
  const [rows, total] = pageQueries(db, workspace, request);
  const [membership, items, [counted]] = await db.batch([
    membershipQuery(db, workspace, user),
    rows,
    total,
  ]);
  if (membership.length === 0) return undefined;
  return { items: newestFirst(items, request), totalCount: counted?.count ?? 0 };
}

function pageQueries(db: Database, owner: OwnerId, request: FilteredRequest) {
  const filter = filterOf(sources, [sources.name, sources.id], request);
  const wanted = and(eq(sources.ownerId, owner), eq(sources.state, "live"), filter);
  const { within, order } = pageBounds(sources.seq, request);
  return [
    db.select().from(sources).where(and(wanted, within)).orderBy(order).limit(request.limit),
    filter
      ? db.select({ count: count() }).from(sources).where(wanted)
      : countOf(db, owner, "source"),
  ] as const;
}

/** Sources with a change that began before `before` and never ended, oldest first. */
export function staleSources(db: Database, before: number, limit: number): Promise<Source[]> {
  return db
    .select()
    .from(sources)
    .where(lt(sources.updatingSince, before))
    .orderBy(sources.updatingSince)
    .limit(limit);
}

/**
 * The first of `base`, `base-2`, `base-3`… that no other source of the owner has. The statement that reserves it finds
 * it, so two sources that are created concurrently get different slugs.
 */
export function freeSlug(id: Id<"source">, owner: OwnerId, base: string): SQL<string> {
  return sql`(
    WITH RECURSIVE tried(n) AS (
      SELECT 1 UNION ALL SELECT n + 1 FROM tried WHERE EXISTS (
        SELECT 1 FROM ${sources} WHERE owner_id = ${owner} AND id <> ${id}
          AND name_slug = ${base} || CASE n WHEN 1 THEN '' ELSE '-' || n END))
    SELECT ${base} || CASE max(n) WHEN 1 THEN '' ELSE '-' || max(n) END FROM tried)`;
}

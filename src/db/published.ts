import { and, desc, eq, getTableColumns, isNull, or, type SQL, sql } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { type Component, REGISTRY } from "./components.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { registryTerms } from "./schema/derived.ts";
import { registryEntries, registryVersions as versions } from "./schema/registry.ts";
import { components } from "./schema/tables.ts";

const { seq: _, ...shown } = getTableColumns(components);

/** A version that was published, with its component. */
export type PublishedVersion = Component & {
  seq: number;
  license: string | null;
  deprecated: string | null;
  unpublishedAt: number | null;
};

/** The identity of a version. */
export type VersionName = { key: string; version: string };

/** The keys that an owner publishes, each with its newest version, last published first. */
export async function pageOfPublished(
  db: Database,
  owner: OwnerId,
  request: PageRequest,
): Promise<Page<PublishedVersion>> {
  const isLive = and(eq(versions.ownerId, owner), isNull(versions.unpublishedAt));
  const newest = sql`(SELECT max(c.seq) FROM ${versions} AS v JOIN ${components} AS c ON c.id = v.component_id
    WHERE v.owner_id = ${owner} AND v.unpublished_at IS NULL GROUP BY v.key)`;
  const { within, order } = pageBounds(components.seq, request);
  const [rows, [total]] = await db.batch([
    db
      .select(published)
      .from(components)
      .innerJoin(versions, eq(versions.componentId, components.id))
      .where(and(sql`${components.seq} IN ${newest}`, within))
      .orderBy(order)
      .limit(request.limit),
    db
      .select({ count: sql<number>`count(DISTINCT ${versions.key})`.as("count") })
      .from(versions)
      .where(isLive),
  ]);
  return { items: newestFirst(rows, request), totalCount: total?.count ?? 0 };
}

const published = {
  ...shown,
  seq: components.seq,
  license: versions.license,
  deprecated: versions.deprecated,
  unpublishedAt: versions.unpublishedAt,
};

/** The reader: a user, and the owner whose registry comes first. */
export type Reader = { user: OwnerId; first: OwnerId };

/**
 * The owner of the versions that a key resolves to for a reader: in the order of the lookup, owners with published ones
 * first.
 */
function meantOwner(db: Database, { user, first }: Reader, key: string): SQL {
  const owned = db
    .select({ ownerId: versions.ownerId })
    .from(versions)
    .where(
      and(
        eq(versions.key, key),
        or(isAccessible(db, versions.ownerId, user), eq(versions.ownerId, REGISTRY)),
      ),
    )
    .orderBy(
      desc(isNull(versions.unpublishedAt)),
      desc(eq(versions.ownerId, first)),
      desc(eq(versions.ownerId, user)),
      eq(versions.ownerId, REGISTRY),
      versions.ownerId,
    )
    .limit(1);
  return sql`(${owned})`;
}

/** All versions that a key resolves to for a reader, newest first, including unpublished ones. */
export async function pageOfVersions(
  db: Database,
  reader: Reader,
  { key, ...request }: PageRequest & { key: string },
): Promise<Page<PublishedVersion>> {
  const isMeant = and(
    eq(versions.key, key),
    sql`${versions.ownerId} = ${meantOwner(db, reader, key)}`,
  );
  const { within, order } = pageBounds(components.seq, request);
  const [rows, [total]] = await db.batch([
    db
      .select(published)
      .from(versions)
      .innerJoin(components, eq(components.id, versions.componentId))
      .where(and(isMeant, within))
      .orderBy(order)
      .limit(request.limit),
    db
      .select({ count: sql<number>`count(*)`.as("count") })
      .from(versions)
      .where(isMeant),
  ]);
  return { items: newestFirst(rows, request), totalCount: total?.count ?? 0 };
}

/** Some versions that a key resolves to for a reader. */
export async function versionsNamed(
  db: Database,
  reader: Reader,
  { key, names }: { key: string; names: readonly string[] },
): Promise<PublishedVersion[]> {
  return db
    .select(published)
    .from(versions)
    .innerJoin(components, eq(components.id, versions.componentId))
    .where(
      and(
        eq(versions.key, key),
        sql`${versions.ownerId} = ${meantOwner(db, reader, key)}`,
        sql`${versions.version} IN (SELECT value FROM json_each(${JSON.stringify(names)}))`,
      ),
    );
}

function isNamed(owner: OwnerId, { key, version }: VersionName) {
  return and(
    eq(versions.ownerId, owner),
    eq(versions.key, key),
    eq(versions.version, version),
    isNull(versions.unpublishedAt),
  );
}

/** A published version of an owner. */
export async function versionOf(
  db: Database,
  owner: OwnerId,
  name: VersionName,
): Promise<PublishedVersion | undefined> {
  const [found] = await db
    .select(published)
    .from(versions)
    .innerJoin(components, eq(components.id, versions.componentId))
    .where(isNamed(owner, name));
  return found;
}

/** Store the deprecation notice of a version. False if there is no such version. */
export async function noteDeprecation(
  db: Database,
  owner: OwnerId,
  { deprecated, ...name }: VersionName & { deprecated: string | null },
): Promise<boolean> {
  const noted = await db
    .update(versions)
    .set({ deprecated })
    .where(isNamed(owner, name))
    .returning({ key: versions.key });
  return noted.length > 0;
}

/**
 * Unpublish a version: its key resolves to the newest remaining one, or to none. False if there is no such version. The
 * caller, or the sweep, then indexes the global registry's key anew.
 */
export async function unpublishVersion(
  db: Database,
  owner: OwnerId,
  { at, ...name }: VersionName & { at: number },
): Promise<boolean> {
  const [unpublished] = await db.batch([
    db
      .update(versions)
      .set({ unpublishedAt: at })
      .where(isNamed(owner, name))
      .returning({ key: versions.key }),
    ...(owner === REGISTRY ? leaveQueries(db, name.key, at) : []),
  ]);
  return unpublished.length > 0;
}

/** For a batch: let a key resolve globally to the newest remaining version. */
function leaveQueries(db: Database, key: string, at: number) {
  const left = sql`SELECT c.id FROM ${versions} AS v JOIN ${components} AS c ON c.id = v.component_id
    WHERE v.owner_id = ${REGISTRY} AND v.key = ${key} AND v.unpublished_at IS NULL
    ORDER BY c.seq DESC LIMIT 1`;
  const isEntry = eq(registryEntries.key, key);
  const isWrong = sql`${registryEntries.componentId} IS NOT (${left})`;
  return [
    db
      .delete(registryTerms)
      .where(
        and(
          eq(registryTerms.key, key),
          sql`EXISTS (SELECT 1 FROM ${registryEntries} AS e WHERE e.key = ${key} AND e.component_id IS NOT (${left}))`,
        ),
      ),
    db.delete(registryEntries).where(and(isEntry, sql`NOT EXISTS (${left})`)),
    db
      .update(registryEntries)
      .set({
        componentId: sql`(${left})`,
        version: sql`(SELECT newest.version FROM ${components} AS newest WHERE newest.id = (${left}))`,
        updatedAt: at,
      })
      .where(and(isEntry, isWrong)),
  ] as const;
}

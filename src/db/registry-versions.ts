import { and, desc, eq, type SQL, sql } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";
import type { SearchTerms } from "#domain/search.ts";

import type { Database } from "./client.ts";
import { type Component, REGISTRY } from "./components.ts";
import { type NotedOutcome, outcomeQueries } from "./registry-import-items.ts";
import { indexQueries } from "./registry-index.ts";
import { registryEntries, registryVersions as versions } from "./schema/registry.ts";
import { components } from "./schema/tables.ts";

/** A component that can be published. */
type Publishable = Component & { key: string };

/** The versions of a key that an owner has published, newest first, and whether each still is published. */
export async function versionsTaken(
  db: Database,
  owner: OwnerId,
  key: string,
): Promise<{ version: string; isPublished: boolean }[]> {
  const rows = await db
    .select({ version: versions.version, unpublishedAt: versions.unpublishedAt })
    .from(versions)
    .innerJoin(components, eq(components.id, versions.componentId))
    .where(and(eq(versions.ownerId, owner), eq(versions.key, key)))
    .orderBy(desc(components.seq));
  return rows.map(({ version, unpublishedAt }) => ({
    version,
    isPublished: unpublishedAt === null,
  }));
}

type Publishing = {
  seen: number;
  license: string | null;
  terms: SearchTerms;
  noted?: NotedOutcome | undefined;
};

/**
 * Publish a component as a version of its key, if its owner has published exactly the seen number of its versions.
 * False, and nothing is saved, if another caller published meanwhile. `terms`: its search terms in the global registry.
 * `noted`: the outcome of its import, in the same transaction: a crash leaves both or neither.
 */
export async function insertVersion(
  db: Database,
  component: Publishable,
  { seen, license, terms, noted }: Publishing,
): Promise<boolean> {
  const { id, ownerId, key, version, createdAt } = component;
  const taken = sql`(SELECT count(*) FROM ${versions} AS taken
    WHERE taken.owner_id = ${ownerId} AND taken.key = ${key})`;
  const isPublished = sql`EXISTS (SELECT 1 FROM ${versions} AS own WHERE own.component_id = ${id})`;
  const [, published] = await db.batch([
    db.insert(components).values(component),
    db
      .insert(versions)
      .select(
        sql`SELECT ${ownerId}, ${key}, ${version}, ${id}, ${license}, NULL, NULL, ${createdAt}
          WHERE ${taken} = ${seen}`,
      )
      .onConflictDoNothing()
      .returning({ key: versions.key }),
    db.delete(components).where(and(eq(components.id, id), sql`NOT ${isPublished}`)),
    ...(ownerId === REGISTRY ? enterQueries(db, component, { terms, isPublished }) : []),
    ...(noted ? outcomeQueries(db, noted, isPublished) : []),
  ]);
  return published.length > 0;
}

/** For a batch: let a key resolve globally to a component, and index the component by its terms. */
function enterQueries(
  db: Database,
  component: Publishable,
  { terms, isPublished }: { terms: SearchTerms; isPublished: SQL },
) {
  const { id: componentId, key, version, createdAt, updatedAt } = component;
  return [
    db
      .insert(registryEntries)
      .select(
        sql`SELECT ${key}, ${version}, ${componentId}, ${createdAt}, ${updatedAt} WHERE ${isPublished}`,
      )
      .onConflictDoUpdate({
        target: registryEntries.key,
        set: { version, componentId, updatedAt },
      }),
    ...indexQueries(db, component, terms),
  ] as const;
}

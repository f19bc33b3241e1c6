import { and, desc, eq, exists, getTableColumns, isNotNull, isNull, or, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { registryEntries, registryVersions as versions } from "./schema/registry.ts";
import { components } from "./schema/tables.ts";

export type Component = Omit<typeof components.$inferSelect, "seq">;

const { seq: _, ...shown } = getTableColumns(components);

/** The fields of a published component; null: absent, or not published. */
export type Publication = { license: string | null; deprecated: string | null };

const found = { ...shown, license: versions.license, deprecated: versions.deprecated };
const isVersion = eq(versions.componentId, components.id);

export async function insertComponent(db: Database, component: Component): Promise<void> {
  await db.insert(components).values(component);
}

/** Record the bundle of a component, and the apps that it uses, unless the bundle is known already. */
export async function noteBuilt(
  db: Database,
  { id, bundleHash, definition, name }: Component,
): Promise<void> {
  await db.batch([
    db
      .update(components)
      .set({ bundleHash, definition, name })
      .where(and(eq(components.id, id), eq(components.bundleHash, ""))),
    // The columns derived from an entry are derived again.
    db.update(registryEntries).set({ componentId: id }).where(eq(registryEntries.componentId, id)),
  ]);
}

/** An owner's published components with some files, if their keys still resolve to them. */
export async function publishedOfFiles(
  db: Database,
  owner: OwnerId,
  hashes: readonly string[],
): Promise<Component[]> {
  return db
    .select(shown)
    .from(components)
    .innerJoin(versions, and(isVersion, isNull(versions.unpublishedAt)))
    .where(
      and(
        eq(versions.ownerId, owner),
        sql`NOT EXISTS (
          SELECT 1 FROM ${versions} AS v JOIN ${components} AS c ON c.id = v.component_id
          WHERE v.owner_id = ${owner} AND v.key = ${versions.key} AND v.unpublished_at IS NULL
            AND c.seq > ${components.seq})`,
        sql`${components.filesHash} IN (SELECT value FROM json_each(${JSON.stringify(hashes)}))`,
      ),
    );
}

/** The owner of the registry's components: a user that cannot sign in. */
export const REGISTRY: Id<"user"> = "u_registry";

/** A component that the user may see: an own one, a workspace's, or one that is or was in the registry. */
export async function componentById(
  db: Database,
  user: OwnerId,
  id: Id<"component">,
): Promise<(Component & Publication) | undefined> {
  const published = db
    .select({ key: registryEntries.key })
    .from(registryEntries)
    .where(eq(registryEntries.componentId, components.id));
  const isReadable = or(
    isAccessible(db, components.ownerId, user),
    eq(components.ownerId, REGISTRY),
    exists(published),
  );
  const [component] = await db
    .select(found)
    .from(components)
    .leftJoin(versions, isVersion)
    .where(and(eq(components.id, id), isReadable));
  return component;
}

/**
 * The component that a key resolves to for a user: of the first owner, else of the user, else of a workspace, else the
 * registry's. Of one owner it is the newest published one, else the newest saved one; never an unpublished one.
 */
export async function componentByKey(
  db: Database,
  { user, first }: { user: OwnerId; first: OwnerId },
  key: string,
): Promise<(Component & Publication) | undefined> {
  const [[own], [published]] = await db.batch([
    db
      .select(found)
      .from(components)
      .leftJoin(versions, isVersion)
      .where(
        and(
          eq(components.key, key),
          isAccessible(db, components.ownerId, user),
          isNull(versions.unpublishedAt),
        ),
      )
      .orderBy(
        desc(eq(components.ownerId, first)),
        desc(eq(components.ownerId, user)),
        desc(isNotNull(versions.componentId)),
        desc(components.seq),
      )
      .limit(1),
    registryQuery(db, key),
  ]);
  return own ?? published;
}

/** The component that is published globally under a key. */
export async function registryComponent(
  db: Database,
  key: string,
): Promise<(Component & Publication) | undefined> {
  const [component] = await registryQuery(db, key);
  return component;
}

function registryQuery(db: Database, key: string) {
  return db
    .select(found)
    .from(registryEntries)
    .innerJoin(components, eq(components.id, registryEntries.componentId))
    .leftJoin(versions, isVersion)
    .where(eq(registryEntries.key, key));
}

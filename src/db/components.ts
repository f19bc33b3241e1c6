import { and, desc, eq, exists, getTableColumns, or } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";
import type { SearchTerms } from "#domain/search.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { indexQueries } from "./registry-index.ts";
import { components, registryEntries } from "./schema/tables.ts";

export type Component = Omit<typeof components.$inferSelect, "seq">;

const { seq: _, ...shown } = getTableColumns(components);

export async function insertComponent(db: Database, component: Component): Promise<void> {
  await db.insert(components).values(component);
}

/** The owner of the registry's components: a user that cannot sign in. */
export const REGISTRY: Id<"user"> = "u_registry";

/** A component that the user may see: an own one, a workspace's, or one that is or was in the registry. */
export async function componentById(
  db: Database,
  user: OwnerId,
  id: Id<"component">,
): Promise<Component | undefined> {
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
    .select(shown)
    .from(components)
    .where(and(eq(components.id, id), isReadable));
  return component;
}

/** The newest component that is saved under a key: the first owner's, else another that the user sees, else the registry's. */
export async function componentByKey(
  db: Database,
  { user, first }: { user: OwnerId; first: OwnerId },
  key: string,
): Promise<Component | undefined> {
  const [[own], [published]] = await db.batch([
    db
      .select(shown)
      .from(components)
      .where(and(eq(components.key, key), isAccessible(db, components.ownerId, user)))
      .orderBy(desc(eq(components.ownerId, first)), desc(components.seq))
      .limit(1),
    registryQuery(db, key),
  ]);
  return own ?? published;
}

/** The component that is published globally under a key. */
export async function registryComponent(db: Database, key: string): Promise<Component | undefined> {
  const [component] = await registryQuery(db, key);
  return component;
}

/**
 * Publish a component under its key, to be found by its terms, if what is published there still has the version that was seen. False when
 * somebody else published meanwhile; then nothing is saved.
 */
export async function publishComponent(
  db: Database,
  { component, terms }: { component: Component & { key: string }; terms: SearchTerms },
  seen: string | undefined,
): Promise<boolean> {
  const { id: componentId, key, version, createdAt, updatedAt } = component;
  const entry = { key, version, componentId, createdAt, updatedAt };
  const [, published] = await db.batch([
    db.insert(components).values(component),
    db
      .insert(registryEntries)
      .values(entry)
      .onConflictDoUpdate({
        target: registryEntries.key,
        set: { version, componentId, updatedAt },
        setWhere: eq(registryEntries.version, seen ?? ""),
      })
      .returning({ key: registryEntries.key }),
    ...indexQueries(db, component, terms),
  ]);
  if (published.length > 0) return true;
  await db.delete(components).where(eq(components.id, componentId));
  return false;
}

function registryQuery(db: Database, key: string) {
  return db
    .select(shown)
    .from(registryEntries)
    .innerJoin(components, eq(components.id, registryEntries.componentId))
    .where(eq(registryEntries.key, key));
}

import { and, desc, eq, exists, getTableColumns, or } from "drizzle-orm";

import type { Id } from "../domain/ids.ts";
import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { components, registryEntries } from "./schema.ts";

export type Component = Omit<typeof components.$inferSelect, "seq">;

const { seq: _, ...shown } = getTableColumns(components);

export async function insertComponent(db: Database, component: Component): Promise<void> {
  await db.insert(components).values(component);
}

/** A component that the user may see: an own one, a workspace's, or one that is in the registry. */
export async function componentById(
  db: Database,
  user: Id<"user">,
  id: Id<"component">,
): Promise<Component | undefined> {
  const published = db
    .select({ key: registryEntries.key })
    .from(registryEntries)
    .where(eq(registryEntries.componentId, components.id));
  const [component] = await db
    .select(shown)
    .from(components)
    .where(
      and(eq(components.id, id), or(isAccessible(db, components.ownerId, user), exists(published))),
    );
  return component;
}

/** The newest component that the user saved under a key, else a workspace's, else the registry's. */
export async function componentByKey(
  db: Database,
  user: Id<"user">,
  key: string,
): Promise<Component | undefined> {
  const [[own], [published]] = await db.batch([
    db
      .select(shown)
      .from(components)
      .where(and(eq(components.key, key), isAccessible(db, components.ownerId, user)))
      .orderBy(desc(eq(components.ownerId, user)), desc(components.seq))
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

function registryQuery(db: Database, key: string) {
  return db
    .select(shown)
    .from(registryEntries)
    .innerJoin(components, eq(components.id, registryEntries.componentId))
    .where(eq(registryEntries.key, key));
}

import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import type { Id, OwnerId } from "#domain/ids.ts";

import { createdAt, timestamps } from "./columns.ts";

/** The newest version that is published globally under each key. */
export const registryEntries = sqliteTable(
  "registry_entries",
  {
    key: text("key").primaryKey(),
    version: text("version").notNull(),
    componentId: text("component_id").$type<Id<"component">>().notNull(),
    ...timestamps,
  },
  (t) => [index("registry_entries_by_component").on(t.componentId)],
);

/** The versions that each owner published under a key. A version cannot be reused. */
export const registryVersions = sqliteTable(
  "registry_versions",
  {
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    key: text("key").notNull(),
    version: text("version").notNull(),
    componentId: text("component_id").$type<Id<"component">>().notNull(),
    /** As declared by the publisher or the files; null: by neither. */
    license: text("license"),
    /** The publisher's deprecation notice for users. */
    deprecated: text("deprecated"),
    /** The time of its unpublication: its key no longer finds it. */
    unpublishedAt: integer("unpublished_at"),
    createdAt,
  },
  (t) => [
    primaryKey({ columns: [t.ownerId, t.key, t.version] }),
    uniqueIndex("registry_versions_by_component").on(t.componentId),
  ],
);

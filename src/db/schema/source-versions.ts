import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { ActorId, Id } from "#domain/ids.ts";

import { createdAt } from "./columns.ts";

/**
 * The components that a source has run, the newest hundred. Triggers write a version when a source becomes visible and
 * whenever its component changes, and delete them with it.
 */
export const sourceVersions = sqliteTable(
  "source_versions",
  {
    sourceId: text("source_id").$type<Id<"source">>().notNull(),
    version: integer("version").notNull(),
    componentId: text("component_id").$type<Id<"component">>().notNull(),
    /** The user who deployed it; null: a release that did not record it. */
    userId: text("user_id").$type<ActorId>(),
    createdAt,
  },
  (t) => [primaryKey({ columns: [t.sourceId, t.version] })],
);

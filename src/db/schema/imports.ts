import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import type { Id } from "#domain/ids.ts";

import { ownership, seq, timestamps } from "./columns.ts";

/** Imports of many components into a registry. Their archives are in the code store under `imports/`. */
export const registryImports = sqliteTable(
  "registry_imports",
  {
    seq,
    id: text("id").$type<Id<"registry_import">>().notNull(),
    ...ownership,
    /** The URL of the archive; null: it is uploaded. */
    url: text("url"),
    state: text("state", { enum: ["awaiting_archive", "running", "ended", "failed"] }).notNull(),
    /** The error of the whole import. */
    error: text("error"),
    /** The number of workflows that were started for it. */
    starts: integer("starts").notNull().default(0),
    /** The time of the deletion of its files; null: it may have some. */
    clearedAt: integer("cleared_at"),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("registry_imports_by_id").on(t.id),
    index("registry_imports_by_owner").on(t.ownerId, t.seq),
    index("registry_imports_open")
      .on(t.updatedAt)
      .where(sql`cleared_at IS NULL`),
  ],
);

/** The components of each import and their state. */
export const registryImportItems = sqliteTable(
  "registry_import_items",
  {
    importId: text("import_id").$type<Id<"registry_import">>().notNull(),
    /** The place in the archive, in the order of paths. */
    number: integer("number").notNull(),
    path: text("path").notNull(),
    state: text("state", {
      enum: ["waiting", "published", "unchanged", "refused", "failed"],
    }).notNull(),
    key: text("key"),
    version: text("version"),
    license: text("license"),
    /** The reason for its refusal or failure. */
    message: text("message"),
  },
  (t) => [
    primaryKey({ columns: [t.importId, t.number] }),
    index("registry_import_items_by_state").on(t.importId, t.state, t.number),
  ],
);

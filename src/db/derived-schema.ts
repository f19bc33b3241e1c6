import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "../domain/ids.ts";

/**
 * The words by which entries of the registry are found. FTS5 would do the same, but D1 refuses to export a database
 * that has a virtual table.
 */
export const registryTerms = sqliteTable(
  "registry_terms",
  {
    term: text("term").notNull(),
    key: text("key").notNull(),
    /** What a match counts: a word of the name more than one of the description. */
    weight: integer("weight").notNull(),
  },
  (t) => [primaryKey({ columns: [t.term, t.key] }), index("registry_terms_by_key").on(t.key)],
);

/** How many of a kind each owner has, as lists show them. Triggers keep count: a list must not read all it has. */
export const ownedCounts = sqliteTable(
  "owned_counts",
  {
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    kind: text("kind", { enum: ["source", "webhook", "data_store"] }).notNull(),
    count: integer("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.kind] })],
);

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { Id, OwnerId } from "#domain/ids.ts";

import { createdAt } from "./columns.ts";

/**
 * The terms by which entries of the registry are found: stems of their words. FTS5 would do the same, but D1 refuses to
 * export a database that has a virtual table.
 */
export const registryTerms = sqliteTable(
  "registry_terms",
  {
    term: text("term").notNull(),
    key: text("key").notNull(),
    /** Weight of a match: a word of the name counts more than one of the description. */
    weight: integer("weight").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.term, t.key] }),
    index("registry_terms_by_key").on(t.key),
    // All columns that a search reads: it looks up no row.
    index("registry_terms_weighed").on(t.term, t.key, t.weight),
  ],
);

/** All words of the registry that a query may begin or misspell, and the term of each. */
export const registryWords = sqliteTable(
  "registry_words",
  { word: text("word").primaryKey(), term: text("term").notNull() },
  (t) => [index("registry_words_by_term").on(t.term)],
);

/** Words of the registry, as they are and without each of their letters: a word that has one typo shares a spelling. */
export const registrySpellings = sqliteTable(
  "registry_spellings",
  { spelling: text("spelling").notNull(), word: text("word").notNull() },
  (t) => [primaryKey({ columns: [t.spelling, t.word] })],
);

/**
 * The component that each entry of the registry was indexed as, and the version of the index. The sweep indexes
 * outdated entries.
 */
export const registryIndexed = sqliteTable("registry_indexed", {
  key: text("key").primaryKey(),
  componentId: text("component_id").$type<Id<"component">>().notNull(),
  indexVersion: integer("index_version").notNull(),
});

/** The type of each entry of the registry. Triggers write it: a list of one type must not read definitions. */
export const registryTypes = sqliteTable(
  "registry_types",
  {
    key: text("key").primaryKey(),
    componentType: text("component_type", { enum: ["source", "action"] }).notNull(),
  },
  (t) => [index("registry_types_by_type").on(t.componentType, t.key)],
);

/** The user of an e-mail address: the first who had it. A trigger adds users that are not written with it. */
export const userEmails = sqliteTable("user_emails", {
  /** In lower case. */
  email: text("email").primaryKey(),
  userId: text("user_id").$type<Id<"user">>().notNull(),
});

/**
 * The number of each owner's resources of a kind, as lists show them. Triggers keep count: a list must not read all
 * rows.
 */
export const ownedCounts = sqliteTable(
  "owned_counts",
  {
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    kind: text("kind", { enum: ["source", "webhook", "data_store"] }).notNull(),
    count: integer("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.kind] })],
);

/** The code of workflow deployments: the hashes of their steps' bundles, and of inline code. */
export const workflowCode = sqliteTable(
  "workflow_code",
  {
    workflowId: text("workflow_id").$type<Id<"workflow">>().notNull(),
    deploymentId: text("deployment_id").$type<Id<"deployment">>().notNull(),
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    hash: text("hash").notNull(),
    createdAt,
  },
  (t) => [
    primaryKey({ columns: [t.workflowId, t.deploymentId, t.hash] }),
    index("workflow_code_by_hash").on(t.hash, t.ownerId),
  ],
);

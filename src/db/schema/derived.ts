import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { Id, OwnerId } from "#domain/ids.ts";

import { createdAt } from "./columns.ts";

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

/** Of which type each entry of the registry is. Triggers write it: a list of one type must not read definitions. */
export const registryTypes = sqliteTable(
  "registry_types",
  {
    key: text("key").primaryKey(),
    componentType: text("component_type", { enum: ["source", "action"] }).notNull(),
  },
  (t) => [index("registry_types_by_type").on(t.componentType, t.key)],
);

/** Whose an e-mail address is: that of one user, who had it first. A trigger adds users that are not written with it. */
export const userEmails = sqliteTable("user_emails", {
  /** In lower case. */
  email: text("email").primaryKey(),
  userId: text("user_id").$type<Id<"user">>().notNull(),
});

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

/** What the deployments of workflows are made of: the hashes of their steps' bundles, and of code that came with them. */
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

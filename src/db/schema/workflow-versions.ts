import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { ActorId, Id } from "#domain/ids.ts";
import type { WorkflowStep, WorkflowTrigger } from "#domain/workflows.ts";

import { createdAt } from "./columns.ts";

const workflowId = text("workflow_id").$type<Id<"workflow">>().notNull();
const version = integer("version").notNull();

/** The newest definitions of each workflow, the current one included. A trigger writes the first of a new workflow. */
export const workflowVersions = sqliteTable(
  "workflow_versions",
  {
    workflowId,
    version,
    name: text("name").notNull(),
    /** The user who deployed it; null: the operator, or a release that did not record it. */
    userId: text("user_id").$type<ActorId>(),
    /** The version with the repeated definition. */
    restoredFrom: integer("restored_from"),
    createdAt,
    // Last, because lists do not read them.
    trigger: text("trigger", { mode: "json" }).$type<WorkflowTrigger>().notNull(),
    /** As sent, without secrets; code is in the code store. */
    steps: text("steps", { mode: "json" }).$type<WorkflowStep[]>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workflowId, t.version] })],
);

/**
 * The plans of a version's steps, apart from its definition: both would not fit into one row. Absent for a deployment
 * of an older release: only the workflow's object has it.
 */
export const workflowPlans = sqliteTable(
  "workflow_plans",
  {
    workflowId,
    version,
    /** JSON text of the secrets by step and prop, each sealed; null: there are none. */
    sealed: text("sealed"),
    /** JSON text of the steps, without secrets. */
    steps: text("steps").notNull(),
  },
  (t) => [primaryKey({ columns: [t.workflowId, t.version] })],
);

/** The hashes of all code of versions: the bundles of their steps, and code that was sent with them. */
export const workflowVersionCode = sqliteTable(
  "workflow_version_code",
  { workflowId, version, hash: text("hash").notNull() },
  (t) => [
    primaryKey({ columns: [t.workflowId, t.version, t.hash] }),
    index("workflow_version_code_by_hash").on(t.hash),
  ],
);

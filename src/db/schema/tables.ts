import { sql } from "drizzle-orm";
import {
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";

import type { HourCounts } from "#domain/activity.ts";
import type { Apphooks } from "#domain/apphooks.ts";
import type { ComponentDefinition } from "#domain/definition.ts";
import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import type { WorkflowStep, WorkflowTrigger } from "#domain/workflows.ts";

import { createdAt, intake, ownership, plan, quotas, seq, since, timestamps } from "./columns.ts";

export const users = sqliteTable(
  "users",
  {
    id: text("id").$type<Id<"user">>().primaryKey(),
    username: text("username").notNull(),
    email: text("email").notNull(),
    plan,
    ...quotas,
    ...timestamps,
    /** If set, the user is hidden, and the sweep deletes the user's resources, and then the row. */
    deletedAt: integer("deleted_at"),
  },
  (t) => [
    index("users_deleted")
      .on(t.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
  ],
);

export const apiKeys = sqliteTable(
  "api_keys",
  {
    id: text("id").$type<Id<"api_key">>().primaryKey(),
    /** SHA-256 of the key in hex. The key itself is not stored. */
    hash: text("hash").notNull(),
    userId: text("user_id")
      .$type<Id<"user">>()
      .notNull()
      .references(() => users.id),
    name: text("name"),
    createdAt,
    /** Written at most once an hour; null: never used. */
    lastUsedAt: integer("last_used_at"),
  },
  (t) => [uniqueIndex("api_keys_by_hash").on(t.hash), index("api_keys_by_user").on(t.userId)],
);

export const workspaces = sqliteTable("workspaces", {
  id: text("id").$type<Id<"workspace">>().primaryKey(),
  orgname: text("orgname").notNull(),
  name: text("name").notNull(),
  email: text("email").notNull(),
  /** A `legacy` plan limits the same as users' plans: invocations and compute. */
  plan: text("plan", { enum: ["free", "paid", "legacy"] }).notNull(),
  ...quotas,
  ...timestamps,
});

export const memberships = sqliteTable(
  "memberships",
  {
    workspaceId: text("workspace_id")
      .$type<Id<"workspace">>()
      .notNull()
      .references(() => workspaces.id),
    userId: text("user_id")
      .$type<Id<"user">>()
      .notNull()
      .references(() => users.id),
    createdAt,
  },
  (t) => [
    primaryKey({ columns: [t.userId, t.workspaceId] }),
    index("memberships_by_workspace").on(t.workspaceId),
  ],
);

/** Saved components. Code and bundle are in the code store under their hashes: a row here holds 2 MB at most. */
export const components = sqliteTable(
  "components",
  {
    seq,
    id: text("id").$type<Id<"component">>().notNull(),
    ...ownership,
    key: text("key"),
    name: text("name").notNull(),
    version: text("version").notNull(),
    codeHash: text("code_hash").notNull(),
    /** Empty: it is built from its files at first use. */
    bundleHash: text("bundle_hash").notNull(),
    /** Names its files in the code store; null: they were not stored. */
    filesHash: text("files_hash"),
    /** The origin of the code, as the caller named it. */
    url: text("url"),
    definition: text("definition", { mode: "json" }).$type<ComponentDefinition>().notNull(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("components_by_id").on(t.id),
    index("components_by_key").on(t.ownerId, t.key, t.seq),
    index("components_by_bundle").on(t.bundleHash),
    index("components_by_code").on(t.codeHash),
    index("components_by_files").on(t.filesHash),
  ],
);

/** The target state of a source's update, kept until it has ended. */
export type PendingChange = {
  /** The change id in its deployment; absent for a create, and in rows of older releases. */
  change?: string;
  /** The user who made the change; absent in rows of older releases. */
  userId?: ActorId;
  bundleHash: string;
  name: string;
  /** The component that the source is going to run, if it is not saved yet. */
  component: Omit<typeof components.$inferSelect, "seq"> | null;
  componentId: Id<"component">;
};

/** The directory of sources. The deployment of a source is kept by its object. */
export const sources = sqliteTable(
  "sources",
  {
    seq,
    id: text("id").$type<Id<"source">>().notNull(),
    ...ownership,
    componentId: text("component_id").$type<Id<"component">>().notNull(),
    name: text("name").notNull(),
    nameSlug: text("name_slug").notNull(),
    ...intake,
    /** Readers see only `live` sources. */
    state: text("state", { enum: ["deploying", "live", "deleting"] }).notNull(),
    /** The begin of the change that is under way; null: there is none. */
    updatingSince: integer("updating_since"),
    pending: text("pending", { mode: "json" }).$type<PendingChange>(),
    /** Configured values by prop name, without secrets. */
    shownProps: text("shown_props", { mode: "json" }).$type<Record<string, Json>>().notNull(),
    /** Endpoint key by the name of each HTTP interface prop. */
    endpoints: text("endpoints", { mode: "json" }).$type<Record<string, string>>().notNull(),
    /** The provider's events that wake it; `apphooks` has them by account. */
    apphooks: text("apphooks", { mode: "json" }).$type<Apphooks>().notNull().default({}),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("sources_by_id").on(t.id),
    uniqueIndex("sources_by_slug").on(t.ownerId, t.nameSlug),
    index("sources_by_owner").on(t.ownerId, t.state, t.seq),
    index("sources_by_component").on(t.componentId, t.ownerId),
    index("sources_changing")
      .on(t.updatingSince)
      .where(sql`updating_since IS NOT NULL`),
  ],
);

export const subscriptions = sqliteTable(
  "subscriptions",
  {
    seq,
    id: text("id").$type<Id<"subscription">>().notNull(),
    ...ownership,
    /** A source, a workflow, or a glob: `dc_*`, `p_*`. */
    emitterId: text("emitter_id").notNull(),
    listenerId: text("listener_id").notNull(),
    /** A channel; empty for the default one. */
    eventName: text("event_name").notNull(),
    /** An expression that events have to match (`domain/filters.ts`); null: all do. */
    filter: text("filter"),
    ...since,
  },
  (t) => [
    uniqueIndex("subscriptions_by_id").on(t.id),
    uniqueIndex("subscriptions_by_emitter").on(t.ownerId, t.emitterId, t.eventName, t.listenerId),
    index("subscriptions_by_listener").on(t.listenerId),
  ],
);

/** Listeners for the streams of every emitter that is created later. */
export const autoSubscriptions = sqliteTable(
  "auto_subscriptions",
  {
    seq,
    id: text("id").$type<Id<"auto_subscription">>().notNull(),
    ...ownership,
    listenerId: text("listener_id").notNull(),
    eventName: text("event_name", { enum: ["$errors", "$logs", "$alerts"] }).notNull(),
    /** The filter of the subscriptions that it creates. */
    filter: text("filter"),
    createdAt,
  },
  (t) => [
    uniqueIndex("auto_subscriptions_by_id").on(t.id),
    uniqueIndex("auto_subscriptions_by_owner").on(t.ownerId, t.eventName, t.listenerId),
  ],
);

export const webhooks = sqliteTable(
  "webhooks",
  {
    seq,
    id: text("id").$type<Id<"webhook">>().notNull(),
    ...ownership,
    url: text("url").notNull(),
    name: text("name"),
    description: text("description"),
    active: integer("active", { mode: "boolean" }).notNull(),
    /** The reason why the platform deactivated it; null: it did not. */
    inactiveReason: text("inactive_reason"),
    ...timestamps,
  },
  (t) => [uniqueIndex("webhooks_by_id").on(t.id), index("webhooks_by_owner").on(t.ownerId, t.seq)],
);

/** The directory of data stores. Their records are kept by their objects. */
export const dataStores = sqliteTable(
  "data_stores",
  {
    seq,
    id: text("id").$type<Id<"data_store">>().notNull(),
    ownerId: ownership.ownerId,
    /** Null: the operator created it. */
    userId: text("user_id").$type<ActorId>(),
    name: text("name").notNull(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("data_stores_by_id").on(t.id),
    index("data_stores_by_owner").on(t.ownerId, t.seq),
  ],
);

export const workflows = sqliteTable(
  "workflows",
  {
    seq,
    id: text("id").$type<Id<"workflow">>().notNull(),
    ownerId: ownership.ownerId,
    /** `d_…`, a new one for each deployment. */
    deploymentId: text("deployment_id").$type<Id<"deployment">>().notNull(),
    name: text("name").notNull(),
    active: integer("active", { mode: "boolean" }).notNull(),
    trigger: text("trigger", { mode: "json" }).$type<WorkflowTrigger>().notNull(),
    /** As sent, without secrets; code is in the code store. */
    steps: text("steps", { mode: "json" }).$type<WorkflowStep[]>().notNull(),
    /**
     * The time at which it last reported which older deployments its runs still use; null: none. 0: `workflow_code`
     * does not have its code yet, because it was deployed before that table existed.
     */
    codeCheckedAt: integer("code_checked_at").default(0),
    /** The number of its definitions; `workflow_versions` has the newest of them. */
    version: integer("version").notNull().default(1),
    /** The time of its deployment, later than any time before: of two deployments, its object keeps the later one. */
    deployedMs: integer("deployed_ms").notNull().default(0),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("workflows_by_id").on(t.id),
    index("workflows_by_owner").on(t.ownerId, t.seq),
    index("workflows_to_check")
      .on(t.codeCheckedAt)
      .where(sql`code_checked_at IS NOT NULL`),
  ],
);

/**
 * Usage of each emitter by UTC day: totals, so that writing one twice changes nothing. Of a webhook `invocations` are
 * its attempts to deliver, which nobody pays for.
 */
export const usage = sqliteTable(
  "usage",
  {
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** `YYYY-MM-DD` */
    day: text("day").notNull(),
    emitterId: text("emitter_id").$type<Id<"source"> | Id<"workflow"> | Id<"webhook">>().notNull(),
    invocations: integer("invocations").notNull(),
    computeMs: integer("compute_ms").notNull(),
    credits: integer("credits").notNull(),
    /** Activity by hour of the day; null in rows of older releases. */
    hours: text("hours", { mode: "json" }).$type<HourCounts>(),
    /** Sums of those, so that failing or silent emitters are found without reading them. */
    failures: integer("failures"),
    events: integer("events"),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.day, t.emitterId] })],
);

/**
 * Usage of each owner by UTC day, over all emitters, including deleted ones. The usage of a project's external users is
 * in two rows: that of the project's owner, who pays, and one with the project's id as its owner.
 */
export const ownerUsage = sqliteTable(
  "owner_usage",
  {
    ownerId: text("owner_id").$type<OwnerId | Id<"project">>().notNull(),
    /** `YYYY-MM-DD` */
    day: text("day").notNull(),
    invocations: integer("invocations").notNull(),
    computeMs: integer("compute_ms").notNull(),
    credits: integer("credits").notNull(),
    /** Activity of all its sources, workflows and webhooks by hour of the day. */
    hours: text("hours", { mode: "json" }).$type<HourCounts>(),
  },
  (t) => [primaryKey({ columns: [t.ownerId, t.day] })],
);

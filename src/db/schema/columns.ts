import { integer, text } from "drizzle-orm/sqlite-core";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";

/** Ids are unguessable and so have no order: listed resources also have their place in the order of creation. */
export const seq = integer("seq").primaryKey({ autoIncrement: true });

/** Epoch seconds. */
export const createdAt = integer("created_at").notNull();

/** The times of a row's creation and last change. */
export const timestamps = { createdAt, updatedAt: integer("updated_at").notNull() };

/** `sinceMs`, epoch milliseconds: only events that were emitted since then are delivered. */
export const since = { createdAt, sinceMs: integer("since_ms").notNull().default(0) };

/** Owner and creator of a resource. */
export const ownership = {
  ownerId: text("owner_id").$type<OwnerId>().notNull(),
  userId: text("user_id").$type<ActorId>().notNull(),
};

/** Daily quotas, and that of stored bytes; null: not limited. */
export const quotas = {
  dailyInvocationsQuota: integer("daily_invocations_quota"),
  dailyComputeMsQuota: integer("daily_compute_ms_quota"),
  dailyCreditsQuota: integer("daily_credits_quota"),
  storageQuota: integer("storage_quota"),
};

/** Quotas of agents; null: the default (`domain/agent-quotas.ts`). */
export const agentQuotas = {
  subscriptionsQuota: integer("agent_subscriptions_quota"),
  pollsQuota: integer("agent_polls_quota"),
  runsQuota: integer("agent_runs_quota"),
};

/** Plans of users. */
export const plan = text("plan", { enum: ["free", "paid"] }).notNull();

/** A mail, its owner, and the workflow that wrote it. */
export const workflowMail = {
  ownerId: text("owner_id").$type<OwnerId>().notNull(),
  workflowId: text("workflow_id").$type<Id<"workflow">>().notNull(),
  recipient: text("recipient").notNull(),
  subject: text("subject").notNull(),
  text: text("text"),
  html: text("html"),
};

/** Whether a source takes events, and the number of objects that take its HTTP events. */
export const intake = {
  active: integer("active", { mode: "boolean" }).notNull(),
  shards: integer("shards").notNull().default(1),
};

import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { CodeTerms } from "#domain/agent-tokens.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import { createdAt, ownership, seq, timestamps } from "./columns.ts";

/** The grants of agents: by a key that a user created, or by a client that somebody authorized. */
export const agentGrants = sqliteTable(
  "agent_grants",
  {
    id: text("id").$type<Id<"agent_grant">>().primaryKey(),
    /** The owner that the agent acts for. */
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** The user who created the key or authorized the client; null: an external user, by a connect token. */
    userId: text("user_id").$type<Id<"user">>(),
    /** The OAuth client; null: it is a key. */
    clientId: text("client_id"),
    name: text("name").notNull(),
    /** Separated by spaces (`domain/agent-grants.ts`). */
    scope: text("scope").notNull(),
    /** The MCP endpoint that its tokens are for. */
    resource: text("resource").notNull(),
    createdAt,
  },
  (t) => [
    index("agent_grants_by_owner").on(t.ownerId),
    index("agent_grants_by_user").on(t.userId, t.createdAt),
  ],
);

/** Codes, tokens and keys of grants, by the SHA-256 of each in hex. */
export const agentTokens = sqliteTable(
  "agent_tokens",
  {
    hash: text("hash").primaryKey(),
    grantId: text("grant_id").$type<Id<"agent_grant">>().notNull(),
    kind: text("kind", { enum: ["key", "code", "access", "refresh"] }).notNull(),
    /** Of a code: the terms that its exchange must prove. */
    terms: text("terms", { mode: "json" }).$type<CodeTerms>(),
    /** The time of the exchange of a code or a refresh token; null: not yet. */
    usedAt: integer("used_at"),
    /** Null: a key, which stays until it is revoked. */
    expiresAt: integer("expires_at"),
  },
  (t) => [
    index("agent_tokens_by_grant").on(t.grantId),
    index("agent_tokens_by_expiry").on(t.expiresAt),
  ],
);

/** Subscriptions of agents to events. Each has a webhook of its own, which has its secret. */
export const agentSubscriptions = sqliteTable(
  "agent_subscriptions",
  {
    seq,
    /** Derived from the agent, the callback, the event type and its arguments. */
    id: text("id").$type<Id<"agent_subscription">>().notNull(),
    ...ownership,
    /** The agent of the owner that it belongs to (`services/agents/subscriptions/identity.ts`). */
    principal: text("principal").notNull(),
    /** The grant that allows the agent to subscribe; null: its owner's own token does. */
    grantId: text("grant_id").$type<Id<"agent_grant">>(),
    /**
     * Without a grant: the hash of the API key or the connect token, or the id of the OAuth client of Connect. Null: an
     * earlier release did not record it.
     */
    credential: text("credential"),
    /** The user whose access to the owner it needs; null: none, or an earlier release did not record it. */
    authorizedBy: text("authorized_by").$type<Id<"user">>(),
    /** Null: it belongs to a user or a workspace. */
    projectId: text("project_id").$type<Id<"project">>(),
    /** The event type. */
    name: text("name").notNull(),
    /** JSON of the arguments of the event type. */
    arguments: text("arguments").notNull(),
    url: text("url").notNull(),
    sourceId: text("source_id").$type<Id<"source">>().notNull(),
    webhookId: text("webhook_id").$type<Id<"webhook">>().notNull(),
    /** SHA-256 of its secret in hex, and of those that the agent replaced. */
    secretHash: text("secret_hash").notNull(),
    replacedHashes: text("replaced_hashes", { mode: "json" }).$type<string[]>().notNull(),
    expiresAt: integer("expires_at").notNull(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("agent_subscriptions_by_id").on(t.id),
    uniqueIndex("agent_subscriptions_by_webhook").on(t.webhookId),
    index("agent_subscriptions_by_owner").on(t.ownerId),
    index("agent_subscriptions_by_project").on(t.projectId),
    index("agent_subscriptions_by_grant").on(t.grantId),
    index("agent_subscriptions_by_secret").on(t.secretHash),
    index("agent_subscriptions_by_expiry").on(t.expiresAt),
    index("agent_subscriptions_by_source").on(t.sourceId),
    index("agent_subscriptions_by_credential").on(t.credential),
    index("agent_subscriptions_by_author").on(t.authorizedBy),
  ],
);

/** Sources that were deployed because agents subscribed to a component, or poll it. Equal requests of an owner share one. */
export const agentSources = sqliteTable(
  "agent_sources",
  {
    seq,
    sourceId: text("source_id").$type<Id<"source">>().notNull(),
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** Null: it is of a user or a workspace. */
    projectId: text("project_id").$type<Id<"project">>(),
    /** Hash of the owner, the component and its configuration. Null: it was ended and is being deleted. */
    key: text("key"),
    /** When the request that deploys it last reported that it is still running. */
    claimedAt: integer("claimed_at").notNull(),
    /** Until when polls and streams keep it; 0: none does. */
    polledUntil: integer("polled_until").notNull(),
    createdAt,
  },
  (t) => [
    uniqueIndex("agent_sources_by_source").on(t.sourceId),
    uniqueIndex("agent_sources_by_key").on(t.key),
    index("agent_sources_by_owner").on(t.ownerId),
    index("agent_sources_by_project").on(t.projectId),
  ],
);

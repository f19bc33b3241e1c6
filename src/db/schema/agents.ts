import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

import type { CodeTerms } from "#domain/agent-tokens.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import { createdAt } from "./columns.ts";

/** The grants of agents: by a key that a user made, or by a client that somebody authorized. */
export const agentGrants = sqliteTable(
  "agent_grants",
  {
    id: text("id").$type<Id<"agent_grant">>().primaryKey(),
    /** For whom the agent acts. */
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** Who made the key or authorized the client; null: an external user, by a connect token. */
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
    /** Of a code: what its exchange has to prove. */
    terms: text("terms", { mode: "json" }).$type<CodeTerms>(),
    /** When a code or a refresh token was exchanged; null: not yet. */
    usedAt: integer("used_at"),
    /** Null: a key, which stays until it is revoked. */
    expiresAt: integer("expires_at"),
  },
  (t) => [
    index("agent_tokens_by_grant").on(t.grantId),
    index("agent_tokens_by_expiry").on(t.expiresAt),
  ],
);

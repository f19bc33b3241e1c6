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

/** Connected accounts, whose credentials become `$auth`. */
export const accounts = sqliteTable(
  "accounts",
  {
    seq,
    id: text("id").$type<Id<"account">>().notNull(),
    ownerId: ownership.ownerId,
    app: text("app").notNull(),
    name: text("name").notNull(),
    /** The identity at the provider: a team, a tenant, a user. It matches the provider's events. */
    externalId: text("external_id"),
    /** Sealed; `keyId` names the master key that wraps the data key. */
    credentials: text("credentials").notNull(),
    keyId: text("key_id").notNull(),
    /** Counts the changes of the credentials: of two concurrent ones, the second is rejected. */
    version: integer("version").notNull().default(1),
    /** The expiry of the access token, and the time of its refresh; null: never. */
    expiresAt: integer("expires_at"),
    refreshAt: integer("refresh_at"),
    /** The error of the last refresh of the access token; null: it succeeded. */
    error: text("error"),
    errorAt: integer("error_at"),
    /** Whether the provider revoked the grant: only reconnecting helps. */
    dead: integer("dead", { mode: "boolean" }).notNull().default(false),
    refreshedAt: integer("refreshed_at"),
    /** The project's own client at the provider that connected it; null: the operator's. */
    oauthAppId: text("oauth_app_id").$type<Id<"oauth_app">>(),
    /** The granted scopes; null: the provider did not return them. */
    scopes: text("scopes", { mode: "json" }).$type<string[]>(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("accounts_by_id").on(t.id),
    index("accounts_by_owner").on(t.ownerId, t.seq),
    index("accounts_by_external_id").on(t.app, t.externalId),
  ],
);

/** The settings by which the access tokens of an app's accounts are refreshed. */
export const oauthApps = sqliteTable("oauth_apps", {
  app: text("app").primaryKey(),
  tokenUrl: text("token_url").notNull(),
  clientId: text("client_id").notNull(),
  /** Sealed; `keyId` names the master key that wraps the data key. */
  clientSecret: text("client_secret").notNull(),
  keyId: text("key_id").notNull(),
  /** The place of the client's id and secret in a request: its body, or an Authorization header. */
  authentication: text("authentication", { enum: ["body", "basic"] }).notNull(),
  /** Whether the app's own settings replace the URL and the authentication, which are then those of its creation. */
  followsApp: integer("follows_app", { mode: "boolean" }).notNull().default(false),
  ...timestamps,
});

/** The sources that a provider's events for an account wake. The database derives it from `sources`. */
export const apphooks = sqliteTable(
  "apphooks",
  {
    accountId: text("account_id").$type<Id<"account">>().notNull(),
    sourceId: text("source_id").$type<Id<"source">>().notNull(),
    /** The names of those events; none: all of them. */
    eventNames: text("event_names", { mode: "json" }).$type<string[]>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.sourceId] }),
    index("apphooks_by_source").on(t.sourceId),
  ],
);

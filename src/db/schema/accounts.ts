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
    /** The identity at the provider: a team, a tenant, a user. Its events are matched by it. */
    externalId: text("external_id"),
    /** Sealed; `keyId` names the master key that wraps the data key. */
    credentials: text("credentials").notNull(),
    keyId: text("key_id").notNull(),
    /** Counts the changes of the credentials: of two at once, the second finds that it comes too late. */
    version: integer("version").notNull().default(1),
    /** When the access token expires, and when a new one is fetched; null: never. */
    expiresAt: integer("expires_at"),
    refreshAt: integer("refresh_at"),
    /** Why the access token could not be refreshed last; null: it could. */
    error: text("error"),
    errorAt: integer("error_at"),
    /** Whether the provider took the grant back: nothing but connecting it again helps. */
    dead: integer("dead", { mode: "boolean" }).notNull().default(false),
    refreshedAt: integer("refreshed_at"),
    /** The project's own client at the provider that it was connected by; null: the operator's. */
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

/** How the access tokens of an app's accounts are refreshed. */
export const oauthApps = sqliteTable("oauth_apps", {
  app: text("app").primaryKey(),
  tokenUrl: text("token_url").notNull(),
  clientId: text("client_id").notNull(),
  /** Sealed; `keyId` names the master key that wraps the data key. */
  clientSecret: text("client_secret").notNull(),
  keyId: text("key_id").notNull(),
  /** Where the client's id and secret are in a request: in its body, or in an Authorization header. */
  authentication: text("authentication", { enum: ["body", "basic"] }).notNull(),
  ...timestamps,
});

/** Which sources a provider's events for an account wake. The database derives it from what `sources` say. */
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

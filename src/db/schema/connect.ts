import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";

import type { OauthEndpoints, OverrideSettings } from "#domain/app-overrides.ts";
import { ENVIRONMENTS } from "#domain/connect.ts";
import type { ActorId, Id, OwnerId, PayerId } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";

import { agentQuotas, createdAt, seq, timestamps } from "./columns.ts";

const projectId = text("project_id").$type<Id<"project">>().notNull();
const environment = text("environment", { enum: ENVIRONMENTS }).notNull();

/** If set, the row is hidden, and the sweep deletes its resources, and then the row. */
const deletedAt = integer("deleted_at");

/** Projects of customers: each has external users, accounts and deployed triggers of its own. */
export const projects = sqliteTable(
  "projects",
  {
    seq,
    id: text("id").$type<Id<"project">>().notNull(),
    ownerId: text("owner_id").$type<PayerId>().notNull(),
    /** The creator. */
    userId: text("user_id").$type<Id<"user">>().notNull(),
    name: text("name").notNull(),
    /** The name that its users see. */
    appName: text("app_name"),
    supportEmail: text("support_email"),
    /** Whether keys are tried at the provider before an account is connected. */
    requireKeyAuthTest: integer("require_key_auth_test", { mode: "boolean" }).notNull(),
    /** A data URL of an image. */
    logo: text("logo"),
    ...timestamps,
    deletedAt,
    ...agentQuotas,
  },
  (t) => [
    uniqueIndex("projects_by_id").on(t.id),
    index("projects_by_owner").on(t.ownerId, t.seq),
    index("projects_deleted")
      .on(t.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
  ],
);

/** Programs of customers, which get access tokens by their id and secret. */
export const oauthClients = sqliteTable(
  "oauth_clients",
  {
    seq,
    id: text("id").$type<Id<"oauth_client">>().notNull(),
    ownerId: text("owner_id").$type<PayerId>().notNull(),
    userId: text("user_id").$type<Id<"user">>().notNull(),
    /** The one project that it has access to; null: all of its owner's. */
    projectId: text("project_id").$type<Id<"project">>(),
    name: text("name").notNull(),
    /** SHA-256 of the secret in hex. The secret itself is not stored. */
    secretHash: text("secret_hash").notNull(),
    createdAt,
  },
  (t) => [
    uniqueIndex("oauth_clients_by_id").on(t.id),
    index("oauth_clients_by_owner").on(t.ownerId, t.seq),
    index("oauth_clients_by_project").on(t.projectId),
  ],
);

/** Access tokens of OAuth clients, by the SHA-256 of the token in hex. */
export const oauthTokens = sqliteTable(
  "oauth_tokens",
  {
    hash: text("hash").primaryKey(),
    clientId: text("client_id").$type<Id<"oauth_client">>().notNull(),
    /** Separated by spaces; `*`: all. */
    scope: text("scope").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (t) => [
    index("oauth_tokens_by_client").on(t.clientId),
    index("oauth_tokens_by_expiry").on(t.expiresAt),
  ],
);

/** The users of a customer's product, by the customer's id of each. Each owns accounts and sources. */
export const externalUsers = sqliteTable(
  "external_users",
  {
    seq,
    id: text("id").$type<Id<"external_user">>().notNull(),
    projectId,
    environment,
    externalId: text("external_id").notNull(),
    ...timestamps,
    deletedAt,
    ...agentQuotas,
  },
  (t) => [
    uniqueIndex("external_users_by_id").on(t.id),
    uniqueIndex("external_users_by_external_id")
      .on(t.projectId, t.environment, t.externalId)
      .where(sql`deleted_at IS NULL`),
    index("external_users_deleted")
      .on(t.deletedAt)
      .where(sql`deleted_at IS NOT NULL`),
    index("external_users_by_project").on(t.projectId, t.environment, t.seq),
  ],
);

/** Tokens for the browser of one external user, by the SHA-256 of the token in hex. */
export const connectTokens = sqliteTable(
  "connect_tokens",
  {
    hash: text("hash").primaryKey(),
    externalUserId: text("external_user_id").$type<Id<"external_user">>().notNull(),
    /** The slug of the one app that it may connect; null: any. */
    app: text("app"),
    oauthAppId: text("oauth_app_id").$type<Id<"oauth_app">>(),
    allowedOrigins: text("allowed_origins", { mode: "json" }).$type<string[]>().notNull(),
    successRedirectUri: text("success_redirect_uri"),
    errorRedirectUri: text("error_redirect_uri"),
    /** The URL to which success and failure are reported. */
    webhookUri: text("webhook_uri"),
    /** The scopes of its browser, separated by spaces; null: all scopes of browsers. */
    scope: text("scope"),
    /** Whether its user may grant fewer scopes than requested; null: not specified. */
    allowProgressiveScopes: integer("allow_progressive_scopes", { mode: "boolean" }),
    /** The account that it connected; it connects one. */
    accountId: text("account_id").$type<Id<"account">>(),
    expiresAt: integer("expires_at").notNull(),
    createdAt,
  },
  (t) => [
    index("connect_tokens_by_user").on(t.externalUserId),
    index("connect_tokens_by_expiry").on(t.expiresAt),
  ],
);

/**
 * Authorizations that are under way at a provider, by the SHA-256 of their `state` in hex; and links from which users
 * of the v1 API begin one, by that of the link's token.
 */
export const authorizations = sqliteTable(
  "authorizations",
  {
    stateHash: text("state_hash").primaryKey(),
    /** The user who connects the account. */
    actorId: text("actor_id").$type<ActorId>().notNull(),
    ownerId: text("owner_id").$type<ActorId | PayerId>().notNull(),
    /** The connect token that it is for; null: a user of the v1 API connects. */
    tokenHash: text("token_hash"),
    app: text("app").notNull(),
    oauthAppId: text("oauth_app_id").$type<Id<"oauth_app">>(),
    /** The account that is connected again; null: a new one. */
    accountId: text("account_id").$type<Id<"account">>(),
    /** Sealed: the PKCE verifier, and the redirect URI that the code belongs to; of a link, its redirect target. */
    secrets: text("secrets").notNull(),
    keyId: text("key_id").notNull(),
    expiresAt: integer("expires_at").notNull(),
    createdAt,
  },
  (t) => [index("authorizations_by_expiry").on(t.expiresAt)],
);

/** The operator's settings of apps. Other fields are derived from the code of their components. */
export const apps = sqliteTable("apps", {
  slug: text("slug").primaryKey(),
  /** Checked as it was written: name, auth type, fields, OAuth endpoints, and the requests that use credentials. */
  settings: text("settings", { mode: "json" }).$type<Record<string, Json>>().notNull(),
  ...timestamps,
});

/** The apps that each published component uses. */
export const componentApps = sqliteTable(
  "component_apps",
  {
    seq,
    app: text("app").notNull(),
    key: text("key").notNull(),
    componentType: text("component_type", { enum: ["source", "action"] }).notNull(),
    /** The fields of the app's `$auth` that the component reads, and whether the app's code declares credentials. */
    auth: text("auth", { mode: "json" }).$type<string[]>().notNull(),
  },
  (t) => [
    uniqueIndex("component_apps_by_app").on(t.app, t.componentType, t.key),
    index("component_apps_by_key").on(t.key),
  ],
);

/** OAuth clients of projects at providers, which replace the operator's. */
export const projectOauthApps = sqliteTable(
  "project_oauth_apps",
  {
    seq,
    id: text("id").$type<Id<"oauth_app">>().notNull(),
    projectId,
    app: text("app").notNull(),
    name: text("name").notNull(),
    description: text("description"),
    clientId: text("client_id").notNull(),
    /** Sealed; `keyId` names the master key that wraps the data key. */
    clientSecret: text("client_secret").notNull(),
    keyId: text("key_id").notNull(),
    scopes: text("scopes", { mode: "json" }).$type<string[]>(),
    additionalScopes: text("additional_scopes", { mode: "json" }).$type<string[]>(),
    /** The OAuth endpoints of this client, if they differ from the operator's settings of the app. */
    endpoints: text("endpoints", { mode: "json" }).$type<OauthEndpoints>(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("project_oauth_apps_by_id").on(t.id),
    index("project_oauth_apps_by_project").on(t.projectId, t.app, t.seq),
  ],
);

/** A project's override of an app: names of fields that its users need not fill in, with their values sealed. */
export const appOverrides = sqliteTable(
  "app_overrides",
  {
    seq,
    id: text("id").$type<Id<"app_override">>().notNull(),
    projectId,
    app: text("app").notNull(),
    name: text("name").notNull(),
    oauthAppId: text("oauth_app_id").$type<Id<"oauth_app">>(),
    /** The names of the fields. */
    fieldNames: text("field_names", { mode: "json" }).$type<string[]>().notNull(),
    /** Sealed JSON text of the values by name; `keyId` names the master key that wraps the data key. */
    fields: text("fields").notNull(),
    keyId: text("key_id").notNull(),
    /** Further settings of the project for the app. */
    settings: text("settings", { mode: "json" }).$type<OverrideSettings>(),
    ...timestamps,
  },
  (t) => [
    uniqueIndex("app_overrides_by_id").on(t.id),
    index("app_overrides_by_project").on(t.projectId, t.app, t.seq),
  ],
);

/** The webhook that receives the events of a project's environment. */
export const projectWebhooks = sqliteTable(
  "project_webhooks",
  {
    projectId,
    environment,
    url: text("url").notNull(),
    /** Sealed; `keyId` names the master key that wraps the data key. */
    signingKey: text("signing_key").notNull(),
    keyId: text("key_id").notNull(),
    ...timestamps,
  },
  (t) => [uniqueIndex("project_webhooks_by_environment").on(t.projectId, t.environment)],
);

/** Pending notifications of customers. A row is written with its outcome, and deleted once delivered. */
export const connectNotifications = sqliteTable(
  "connect_notifications",
  {
    /** Receivers dedupe by it: it is the same in all attempts. */
    id: text("id").primaryKey(),
    externalUserId: text("external_user_id").$type<Id<"external_user">>().notNull(),
    projectId,
    environment,
    /** The address in the token; null: the webhook of the environment. */
    url: text("url"),
    /** Sealed, because it contains a connect token; `keyId` names the master key that wraps the data key. */
    body: text("body").notNull(),
    keyId: text("key_id").notNull(),
    /** The number of failed attempts. */
    attempts: integer("attempts").notNull(),
    /** While an attempt is under way: the time for another one, in case its process crashed. */
    nextAttemptAt: integer("next_attempt_at").notNull(),
    createdAt,
  },
  (t) => [
    index("connect_notifications_by_attempt").on(t.nextAttemptAt),
    index("connect_notifications_by_user").on(t.externalUserId),
    index("connect_notifications_by_project").on(t.projectId, t.environment),
  ],
);

/** The sources that a customer's product deployed for its users, beside their rows in `sources`. */
export const deployedTriggers = sqliteTable(
  "deployed_triggers",
  {
    sourceId: text("source_id").$type<Id<"source">>().primaryKey(),
    componentKey: text("component_key"),
    emitOnDeploy: integer("emit_on_deploy", { mode: "boolean" }).notNull(),
    /** The webhook that was created with it; null: none. */
    webhookId: text("webhook_id").$type<Id<"webhook">>(),
    createdAt,
    projectId: projectId.default("proj_"),
    environment: environment.default("production"),
  },
  (t) => [index("deployed_triggers_by_project").on(t.projectId, t.environment)],
);

/** Files that actions left for their caller. The files themselves are in the bucket, under the id. */
export const fileStashes = sqliteTable(
  "file_stashes",
  {
    id: text("id").$type<Id<"stash">>().primaryKey(),
    ownerId: text("owner_id").$type<OwnerId>().notNull(),
    /** Signs the URLs of its files. */
    secret: text("secret").notNull(),
    expiresAt: integer("expires_at").notNull(),
    createdAt,
  },
  (t) => [
    index("file_stashes_by_owner").on(t.ownerId),
    index("file_stashes_by_expiry").on(t.expiresAt),
  ],
);

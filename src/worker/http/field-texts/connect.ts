import { APP_TEXTS, FIELD_TEXTS, OAUTH_TEXTS } from "./apps.ts";
import { ANYWHERE, type FieldTable } from "./table.ts";

const EXTERNAL_USER =
  "The product's own id of the external user, 1 to 250 characters. Required for a server; with a connect token the token's user";
/** The filters of a list. */
export const OF_EXTERNAL_USER =
  "Only resources of this external user, by the product's own id; absent: all";
const KEYS = "JSON text of the values of the app's fields by name: texts, numbers or booleans";

const OAUTH_APP = {
  app: "Slug of the app that the client is for",
  name: "Name of the client; absent: the app's",
  description: "Description of the client, at most 4,000 characters",
  client_id: "Client id at the provider",
  client_secret: "Client secret at the provider. Never shown",
  scopes: "Scopes requested instead of the app's own; absent: the app's own",
  additional_scopes: "Scopes requested in addition to the app's own",
  oauth: "Settings of signing in by the client; null or absent: the operator's settings of the app",
  ...OAUTH_TEXTS,
};

const OVERRIDE = {
  ...FIELD_TEXTS,
  "fields.label": "Label in the form; absent: unchanged, of a new field the name in words",
  "fields.secret": "Whether the value is never shown; absent: unchanged, of a new field true",
  "fields.optional": "Whether the field may stay empty; absent: unchanged, of a new field false",
  test: "The request that tests an account, instead of the app's",
  "test.url": "URL of the request; {{field}} stands for a credential",
  "test.headers":
    "Headers by name, merged into those of the app; {{field}} stands for a credential",
};

/** Fields of the Connect API only. */
export const CONNECT_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    project: "Id of the project, `proj_…`",
    external_user_id: EXTERNAL_USER,
    app: "The app, as in `GET /apps/{slug}`",
    created_at: "Time of creation, ISO 8601",
    updated_at: "Time of the last change, ISO 8601",
    include_credentials:
      "Whether credentials are shown: only to servers, and only if the operator allows it",
  },
  "/apps": { slug: "Slug of the app", app: "Slug of the app" },
  "/app_categories": { id: "Id of the category" },
  "/projects": { id: "Id of the project, `proj_…`" },
  "/oauth_clients": { id: "Id of the OAuth client, `oac_…`" },
  "/tokens": { token: "The connect token, `ctok_…`" },
  "/users": { external_user_id: "The product's own id of the external user" },
  "/accounts": { id: "Id of the account, `apn_…`" },
  "/oauth_apps": { id: "Id of the OAuth client at the provider, `oa_…`" },
  "/app_overrides": { id: "Id of the app override, `aov_…`" },
  "/deployed-triggers": { id: "Id of the deployed trigger, `dc_…`" },
  "/webhooks": { webhook: "Id of the webhook, `wh_…`" },
  App: APP_TEXTS,
  AppCategory: { id: "Id of the category: its name as a slug", name: "Name of the category" },
  listApps: {
    q: "Part of the slug or the name of an app",
    sort_key: "Field that apps are sorted by",
    sort_direction: "asc: lowest first",
    category_ids: "Only apps of these categories, by id; repeat it for several",
    has_components: "true: only apps that sources or actions use",
    has_actions: "true: only apps that actions use",
    has_triggers: "true: only apps that sources use",
  },
  getProjectInfo: {
    apps: "The apps with OAuth clients of the project",
    "apps.id": "Id of the OAuth client, `oa_…`",
    "apps.name_slug": "Slug of the app",
  },
  Project: {
    id: "Id of the project, `proj_…`",
    name: "Name of the project",
    app_name: "Name of the product on the connect page; absent: the project's",
    support_email: "E-mail address on the connect page; absent: none",
    connect_require_key_auth_test: "Whether keys are tested at the provider before they are stored",
  },
  projects: {
    name: "Name of the project, at most 200 characters",
    app_name: "Name of the product on the connect page; null: the project's",
    support_email: "E-mail address on the connect page; null: none",
    connect_require_key_auth_test: "Whether keys are tested at the provider before they are stored",
    logo: "Data URL of a PNG, JPEG, GIF or WebP image, at most 500,000 characters",
    q: "Part of the name of a project",
  },
  ProjectWebhook: {
    id: "Id of the webhook: project and environment",
    url: "URL that receives notifications, by POST",
    signing_key_set: "Whether notifications are signed",
    signing_key: "Key of the signatures. Shown only by the first PUT and when it is regenerated",
    created_at: "Time of creation, epoch seconds",
    updated_at: "Time of the last change, epoch seconds",
  },
  putProjectWebhook: { url: "URL that receives notifications, with http or https" },
  OauthClient: {
    client_id: "Id of the client, `oac_…`",
    name: "Name of the client",
    project_id: "The project that it may access, `proj_…`; null: all projects of its owner",
    created_at: "Time of creation, epoch seconds",
  },
  NewOauthClient: { client_secret: "Secret of the client. Shown only once" },
  oauth_clients: {
    name: "Name of the client, at most 200 characters",
    project_id: "The project that it may access, `proj_…`; null: all projects of its owner",
  },
  createConnectToken: {
    external_user_id: "The product's own id of the external user, 1 to 250 characters",
    app_id: "Slug of the app to connect; null: app in the link names it",
    oauth_app_id: "The OAuth client to sign in by, `oa_…`; null: the link may name one",
    allowed_origins: "Origins of the pages that may use the token; null: any",
    success_redirect_uri: "Redirect URI after success; null: no redirect",
    error_redirect_uri: "Redirect URI after a failure; null: no redirect",
    webhook_uri: "URL that receives the outcome of each attempt; null: none",
    scope: "Scopes that limit the token, separated by spaces; null: all scopes of browsers",
    expires_in: "Seconds until the token expires, at most 4 hours; null: 4 hours",
    allow_progressive_scopes:
      "false: refuse an account if the provider granted fewer scopes than requested; null: connect it",
    token: "The connect token, `ctok_…`. Shown only once",
    connect_link_url: "The connect page for this token; add &app= and a slug if app_id is null",
    expires_at: "Expiry of the token, ISO 8601",
  },
  validateConnectToken: {
    app_id: "Slug of the app to connect; absent: the token's",
    account_id: "The account to connect again, `apn_…`; absent: a new one",
    oauth_app_id: "The OAuth client to sign in by, `oa_…`; absent: the token's",
    app_override_id: "The app override to apply, `aov_…`; absent: none",
  },
  TokenValidation: {
    success: "Whether the token connects an account with these parameters",
    error: "Reason of a refusal, for the user; absent: success",
    app: "The app to connect; absent: none",
    app_override_id: "The app override in the query",
    oauth_app_id: "The OAuth client to sign in by; absent: none",
    error_redirect_uri: "Redirect URI after a failure; absent: no redirect",
    success_redirect_uri: "Redirect URI after success; absent: no redirect",
    project_app_name: "Name of the product",
    project_environment: "Environment of the project: development or production",
    project_id: "Id of the project, `proj_…`",
    project_support_email: "E-mail address of the product's support; absent: none",
  },
  ExternalUser: {
    id: "Id of the external user on the platform, `exu_…`",
    external_id: "The product's own id of the external user",
  },
  listExternalUsers: { q: "Part of the product's own id" },
  ConnectedAccount: {
    id: "Id of the account, `apn_…`",
    name: "Name of the account",
    healthy: "Whether it provides valid credentials",
    dead: "Whether the user must connect it again",
    external_id: "Id of the account at its provider; absent: not known",
    external_user_id: "The product's own id of the external user that owns it",
    credentials:
      "The credentials in the form for components: JSON of the app's own; absent: not shown",
    authorized_scopes: "Scopes granted by the user; absent: not known",
    expires_at: "Expiry of its access token, ISO 8601; absent: never, or not known",
    error: "Error of the last refresh; absent: none",
    last_refreshed_at: "Time of the last refresh, ISO 8601; absent: none yet",
    next_refresh_at: "Time of the next refresh, ISO 8601; absent: none",
  },
  listConnectedAccounts: {
    external_user_id: OF_EXTERNAL_USER,
    oauth_app_id: "Only accounts connected by this OAuth client, `oa_…`",
    app: "Only accounts of this app, by its slug",
  },
  listAccountsOfExternalUser: { app: "Only accounts of this app, by its slug" },
  connectAccount: {
    app_slug: "Slug of the app",
    cfmap_json: KEYS,
    connect_token: "The connect token of the external user; it is used up",
    name: "Name of the account, at most 256 characters; null: the app's",
    account_id: "The account to connect again, `apn_…`; null: a new one",
    app_override_id: "The app override to apply, `aov_…`; null: none",
    external_user_id: "Must be the external user of the connect token; absent: not checked",
    oauth_app_id: "Must be the OAuth client of the connect token, if it has one",
  },
  ProjectOauthApp: {
    client_id: "Client id at the provider",
    scopes: "Scopes requested instead of the app's own; absent: the app's own",
    additional_scopes: "Scopes requested in addition to the app's own; absent: none",
    oauth: "Settings of signing in by the client; absent: the operator's settings of the app",
    ...OAUTH_TEXTS,
    owner_id: "The project, `proj_…`",
  },
  oauth_apps: OAUTH_APP,
  listProjectOauthApps: {
    app: "Only clients of this app, by its slug",
    q: "Part of the name of a client",
  },
  AppOverride: {
    id: "Id of the app override, `aov_…`",
    name: "Name of the override",
    ...OVERRIDE,
    fields: "The changed or added fields; absent: none",
    oauth_app_id: "The OAuth client to sign in by, `oa_…`; absent: the app's",
    owner_id: "The project, `proj_…`",
  },
  app_overrides: {
    app: "Slug of the app that it is for",
    name: "Name of the override, at most 200 characters",
    ...OVERRIDE,
    fields: "Changes the named fields of the app, and adds missing ones: 50 at most",
    oauth_app_id: "The OAuth client to sign in by, `oa_…`; null: the app's",
  },
  listAppOverrides: { app: "Only overrides of this app, by its slug" },
  downloadStashedFile: { s3_key: "The s3Key of the file in the action's result" },
  "/proxy": { url: "URL of the target in base64, or a path below the app's base_url in base64" },
  proxy: { account_id: "The account with the credentials for the request, `apn_…`" },
  ConnectUsage: {
    credits_used: "Credits used on the day, each a started 30 s of compute",
    usage_start_ts: "Begin of the day (UTC), epoch seconds",
    usage_end_ts: "End of the day: the first second of the next, epoch seconds",
  },
  listUsage: {
    start_ts: "Begin of the span, epoch seconds",
    end_ts: "End of the span, epoch seconds, after start_ts",
  },
};

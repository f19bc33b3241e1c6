import type { FieldTable } from "./table.ts";

const OWNER = "The user or workspace that owns it";
const CREDITS =
  "Daily quota of credits, each a started 30 s of compute; 9007199254740991: not limited";
const INVOCATIONS = "Daily quota of invocations; 9007199254740991: not limited";
const COMPUTE = "Daily quota of compute time, milliseconds; 9007199254740991: not limited";

/** The limits of an owner per UTC day. */
export const QUOTAS = {
  daily_invocations_quota: "Invocations per UTC day; 9007199254740991: not limited",
  daily_compute_time_quota: "Compute time per UTC day, milliseconds; 9007199254740991: not limited",
  daily_credits_quota:
    "Credits per UTC day, each a started 30 s of compute; 9007199254740991: not limited",
  storage_quota:
    "Bytes that sources, workflows, webhooks, data stores and stashes may take; 9007199254740991: not limited",
};

const IDENTITY = {
  id: "Id of the user, `u_…`",
  username: "Name of the user",
  email: "E-mail address of the user",
};

const LEGACY = {
  daily_compute_time_quota: COMPUTE,
  daily_compute_time_used: "Compute time used since midnight UTC, milliseconds",
  daily_invocations_quota: INVOCATIONS,
  daily_invocations_used: "Invocations since midnight UTC",
};

/** Fields of the resources of users and workspaces beside emitters: webhooks, data stores, accounts and alerts. */
export const OWNED_TEXTS: FieldTable<string> = {
  "/webhooks": { id: "Id of the webhook, `wh_…`" },
  "/deliveries": { delivery_id: "Id of the delivery, `dlv_…`" },
  "/data_stores": { id: "Id of the data store, `ds_…`" },
  "/records": { key: "Key of the record, at most 1,024 bytes" },
  "/accounts": { id: "Id of the account, `apn_…`" },
  "/workspaces": { id: "Id of the workspace, `o_…`" },
  "/sessions": { id: "Id of the session, `ses_…`" },
  Quotas: QUOTAS,
  Session: {
    id: "Id of the session, `ses_…`",
    created_at: "Time of the sign-in, epoch seconds",
    last_seen_at: "Time of the last use, epoch seconds, to five minutes",
    expires_at: "Expiry, epoch seconds",
    user_agent: "User-Agent of the browser; null: none",
    is_current: "Whether this request uses it",
    is_operator: "Whether the admin token was used to sign in, too",
  },
  Webhook: {
    id: "Id of the webhook, `wh_…`",
    user_id: "The user who created it",
    name: "Name of the webhook; null: it has none",
    description: "Description of the webhook; null: it has none",
    url: "URL that receives events, by POST",
    active: "Whether events are sent; the platform deactivates a webhook that fails for long",
  },
  CreatedWebhook: {
    signing_secret: "Key of the signatures (Standard Webhooks). Shown only once",
  },
  WebhookDetails: {
    inactive_reason: "Reason why the platform deactivated it; null: it did not",
    failing_since_ms:
      "Time of the first failure since the last success, epoch milliseconds; null: none",
  },
  SigningSecret: { signing_secret: "The new key of the signatures. Shown only once" },
  webhooks: {
    url: "URL that receives events, with http or https",
    name: "Name of the webhook, at most 256 characters; null: none",
    description: "Description of the webhook, at most 4,096 characters; null: none",
    active:
      "false: nothing is sent; true: also reactivates a webhook that the platform deactivated",
    overlap_seconds:
      "Seconds for which the former key also signs, at most 30 days; absent: one day",
    state: "Only deliveries in this state",
    to_ms: "End of the span, epoch milliseconds; absent: now",
    count: "Number of queued deliveries",
  },
  replayDeliveries: {
    from_ms: "Begin of the span of emitted events, epoch milliseconds",
  },
  Delivery: {
    id: "Id of the delivery, `dlv_…`",
    event_id: "Id of the event in its emitter",
    emitter_id: "The emitter of the event",
    event_name: "The channel of the event; empty for the default one",
    state: "failed: another attempt follows; dead: no attempts left, unless it is retried",
    attempts: "The attempts, oldest first: the last 20 at most",
    "attempts.at_ms": "Time of the attempt, epoch milliseconds",
    "attempts.status": "HTTP status of the response; null: no response",
    "attempts.latency_ms": "Duration of the attempt, milliseconds",
    "attempts.error": "Error without a response",
    "attempts.response": "The beginning of the response's body",
    next_attempt_at_ms: "Time of the next attempt, epoch milliseconds; absent: none",
    next_attempt_at: "The same, epoch milliseconds, under its earlier name",
  },
  DataStore: {
    id: "Id of the data store, `ds_…`",
    owner_id: OWNER,
    user_id: "The user who created it; null: the operator",
    name: "Name of the data store",
  },
  DataStoreDetails: {
    record_count: "Number of its records",
    size_bytes: "Bytes of its keys and values, as JSON",
  },
  Record: {
    key: "Key of the record",
    value: "Value of the record: JSON of the user's own",
    updated_at_ms: "Time of the last write, epoch milliseconds",
    expires_at_ms: "Expiry, epoch milliseconds; null: never",
  },
  data_stores: {
    name: "Name of the data store, at most 256 characters",
    value: "Value of the record: any JSON; key and value have at most 1 MB",
    ttl: "Seconds until the record expires; null: never",
  },
  Account: {
    id: "Id of the account, `apn_…`",
    owner_id: OWNER,
    app: "Slug of the account's app",
    name: "Name of the account",
    error: "Error of the last refresh; null: none",
    error_at: "Time of the error, epoch seconds; null: there is no error",
    external_id: "Id of the account at its provider, such as a user id; null: not known",
    healthy: "Whether its access token could be refreshed",
    dead: "Whether the provider revoked the grant: only connecting it again helps",
    expires_at: "Expiry of the access token, epoch seconds; null: never, or not known",
  },
  accounts: {
    app: "Slug of the app",
    name: "Name of the account, at most 256 characters",
    external_id: "Id of the account at its provider, such as a user id; null: not known",
    force: "true: deletes the account even if sources or workflows use it",
    credentials:
      "Passed to components as $auth, any JSON of the app: api_key, oauth_access_token, oauth_refresh_token, oauth_uid, or any names; at most 64 KB. Never shown",
    expires_at: "Expiry of oauth_access_token, epoch seconds; null: never, or not known",
    url: "The page, for a browser, which redirects to the provider",
    sources: "The sources that use the account",
    "sources.id": "Id of the source, `dc_…`",
    "sources.name": "Name of the source",
    workflows: "The workflows that use the account",
    "workflows.id": "Id of the workflow, `p_…`",
    "workflows.name": "Name of the workflow",
  },
  createSignInLink: {
    account_id: "The account to connect again, `apn_…`; null: a new one",
    redirect_uri: "Redirect URI after success, with account_id in its query; null: no redirect",
    expires_at: "Expiry of the page, epoch seconds",
  },
  updateWebhook: {
    url: "URL that receives events, with http or https; absent: unchanged",
    name: "Name of the webhook, at most 256 characters; null: none, absent: unchanged",
    description:
      "Description of the webhook, at most 4,096 characters; null: none, absent: unchanged",
  },
  ...accountChanges(),
  ...accountLists(),
  Alert: {
    id: "The emit_id of the event that reported it",
    count: "Number of occurrences",
    kind: "Kind of alert: runs fail, a timer is late, an account is lost, or a webhook was deactivated",
    subject: "The resource of the alert",
    "subject.type": "Kind of the subject",
    "subject.id": "Id of the subject",
    "subject.name": "Name of the subject; null: it has none",
    owner_id: "Owner of the subject",
    since: "Begin, ISO 8601",
    until: "End, ISO 8601; null: it is open",
    message: "The problem and its remedy",
    error: "The error of the last run; null: there is none",
    "error.name": "Name of the error's class",
    "error.message": "Message of the error",
  },
  alerts: { state: "State of the listed alerts: open, ended within 30 days, or both" },
  FreeUser: { ...IDENTITY, ...LEGACY, orgs: "The workspaces of the user" },
  PaidUser: {
    ...IDENTITY,
    billing_period_start_ts: "Begin of the billing period, epoch seconds",
    billing_period_end_ts: "End of the billing period, epoch seconds",
    billing_period_credits: "Credits used in the billing period, each a started 30 s of compute",
  },
  Workspace: {
    id: "Id of the workspace, `o_…`",
    orgname: "Short name of the workspace",
    name: "Name of the workspace",
    email: "E-mail address of the workspace",
    daily_credits_quota: CREDITS,
    daily_credits_used: "Credits used since midnight UTC",
  },
  Org: LEGACY,
};

/** The filters of lists of accounts: fields that other operations set. */
function accountLists(): FieldTable<string> {
  const filters = {
    app: "Only accounts of this app, by its slug",
    external_id: "Only accounts with this id at their provider",
  };
  return Object.fromEntries(
    ["listAccounts", "listWorkspaceAccounts", "listAllAccounts"].map((list) => [list, filters]),
  );
}

/** The changeable fields of an account, for its owner or the operator. */
function accountChanges(): FieldTable<string> {
  const changes = {
    name: "Name of the account, at most 256 characters; absent: unchanged",
    credentials:
      "All credentials, in the form of $auth for components, JSON of the app's own: they replace the former ones. Absent: unchanged",
    external_id: "Id of the account at its provider; null: not known, absent: unchanged",
    expires_at: "Expiry of oauth_access_token, epoch seconds; null: never, absent: unchanged",
  };
  return { updateOwnAccount: changes, updateAccount: changes };
}

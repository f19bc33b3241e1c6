import { ADMIN_APP_TEXTS } from "./admin-apps.ts";
import { QUOTAS } from "./owned.ts";
import type { FieldTable } from "./table.ts";

const ANY_OWNER = "The user (`u_…`) or workspace (`o_…`) that will own it";
const QUOTA_CHANGES = {
  daily_invocations_quota: "Invocations per UTC day; 0 or null: not limited, absent: unchanged",
  daily_compute_time_quota:
    "Compute time per UTC day, milliseconds; 0 or null: not limited, absent: unchanged",
  daily_credits_quota:
    "Credits per UTC day, each a started 30 s of compute; 0 or null: not limited, absent: unchanged",
  storage_quota:
    "Bytes that sources, workflows, webhooks, data stores and stashes may take; 0 or null: not limited, absent: unchanged",
};
const USER = {
  id: "Id of the user, `u_…`",
  username: "Name of the user",
  email: "E-mail address of the user",
  plan: "Plan of the user",
};
const KEY = { id: "Id of the API key, `key_…`", name: "Name of the API key; null: it has none" };

/** Fields of the operator API only. */
export const ADMIN_TEXTS: FieldTable<string> = {
  "/users": { id: "Id of the user, `u_…`" },
  "/projects": { id: "Id of the project, `proj_…`" },
  "/sessions": { id: "Id of the user, `u_…`", session_id: "Id of the session, `ses_…`" },
  "/members": { user_id: "Id of the user, `u_…`" },
  "/api_keys": { id: "Id of the API key, `key_…`" },
  "/apps": { slug: "Slug of the app" },
  "/oauth_apps": { app: "Slug of the app" },
  "/apphooks": { app: "Slug of the app whose provider sent the event" },
  NewUser: {
    ...USER,
    api_key: "The API key. Shown only once",
    api_key_id: "Id of the API key, `key_…`",
  },
  User: {
    ...USER,
    ...QUOTAS,
    api_keys: "Number of the user's API keys",
    sources: "Number of sources that the user owns in person",
    workflows: "Number of workflows that the user owns in person",
    workspaces: "Number of workspaces that the user belongs to",
  },
  listUsers: { q: "Part of an id, an e-mail address or a name" },
  deleteUser: {
    force:
      "true: also deletes all of the user's resources; without it, the response is 409 and lists them",
  },
  createUser: {
    username: "Name of the user, of at least one character",
    email: "E-mail address, unique among users",
    plan: "Plan of the user",
  },
  updateUser: {
    username: "Name of the user; absent: unchanged",
    email: "E-mail address, unique among users; absent: unchanged",
    plan: "Plan of the user; absent: unchanged",
    ...QUOTA_CHANGES,
  },
  createConsoleLink: {
    user_id: "The user that the link signs in; null: an operator",
    is_operator: "true: the link signs in an operator, too",
    url: "The link. Shown only once",
    expires_at: "Expiry of the link, epoch seconds",
  },
  issueApiKey: { name: "Name of the key for people; null: none" },
  NewApiKey: { ...KEY, api_key: "The API key. Shown only once" },
  ApiKey: {
    ...KEY,
    last_used_at: "Time of the last use, epoch seconds, to the hour; null: none recorded",
  },
  NewWorkspace: {
    id: "Id of the workspace, `o_…`",
    orgname: "Short name of the workspace",
    name: "Name of the workspace",
    email: "E-mail address of the workspace",
    plan: "Plan of the workspace",
  },
  ListedWorkspace: {
    id: "Id of the workspace, `o_…`",
    orgname: "Short name of the workspace",
    name: "Name of the workspace",
    email: "E-mail address of the workspace",
    plan: "Plan of the workspace",
    ...QUOTAS,
    members: "Number of its members",
    sources: "Number of its sources",
    workflows: "Number of its workflows",
  },
  listAllWorkspaces: { q: "Part of an id, a name, a short name or an e-mail address" },
  FailingWebhook: {
    webhook_id: "Id of the webhook, `wh_…`",
    owner_id: "The user or workspace that owns it",
    name: "Name of the webhook; null: it has none",
    url: "URL that receives events",
    active: "Whether events are sent",
    inactive_reason: "Reason why the platform deactivated it; null: it did not",
    deliveries: "Number of attempts",
    failed_deliveries: "Number of failed attempts",
  },
  DeadLetter: {
    id: "Id of the delivery, `dlv_…`",
    webhook_id: "Id of the webhook, `wh_…`",
    webhook_name: "Name of the webhook; null: it has none",
    url: "URL of the webhook",
    owner_id: "The user or workspace that owns the webhook",
    emitter_id: "The source or workflow that emitted the event",
    event_id: "Id of the event",
    event_name: "Channel of the event; empty: the default one",
    attempts: "Number of recorded attempts",
    last_attempt_at: "Time of the last attempt, epoch milliseconds; null: there was none",
    last_status: "HTTP status of the last response; null: no response",
    last_error: "Error without a response; null: there was a response",
  },
  listDeadLetters: { hours: "Number of hours, including the current one: 1 to 168" },
  listFailingWebhooks: { hours: "Number of hours, including the current one: 1 to 168" },
  createWorkspace: {
    orgname: "Short name of the workspace",
    name: "Name of the workspace",
    email: "E-mail address of the workspace",
    plan: "Plan of the workspace; legacy: users see invocations and compute time instead of credits",
  },
  Member: { workspace_id: "The workspace, `o_…`", user_id: "The user, `u_…`" },
  setUserQuotas: QUOTA_CHANGES,
  setWorkspaceQuotas: QUOTA_CHANGES,
  Egress: {
    days: "The days of the span; days without requests may be missing",
    "days.day": "The day (UTC)",
    "days.requests": "Requests that components sent on that day",
    "days.sent_bytes": "Bytes of their bodies",
    "days.received_bytes": "Bytes of the responses' bodies",
    "days.unmeasured": "Requests with a body, either way, of unknown length",
  },
  getUserEgress: { days: "Number of days, including today" },
  getWorkspaceEgress: { days: "Number of days, including today" },
  ...owners(),
  ...ADMIN_APP_TEXTS,
  TakenEvent: {
    event_id: "Id of the event, from the request or new",
    state: "pending: it is stored, but not all sources have it yet",
    sources: "Number of sources that have it",
  },
  takeProviderEvent: {
    account_id: "The account that the event concerns; it or external_id is required",
    external_id: "Id at the provider: the event concerns every account with this id",
    event_name: "One or all names of the event at the provider",
    event_id: "Id of the event: events with the same id are one event. Absent: a new one",
    event: "Passed to run unchanged: any JSON of the provider, at most 512 KB",
  },
  AgentSubscription: {
    id: "Id of the subscription, `ags_…`, which its callback receives as X-MCP-Subscription-Id",
    owner_id: "The owner that the agent acts for: a user, a workspace or an external user",
    project_id: "The project of the external user; null: it is of a user or a workspace",
    agent_key_id: "The key or client of its grant, `agr_…`; null: the owner's own token",
    event_type: "The name of the event type",
    filter: "Expression that events must match; null: all match",
    url: "The callback",
    source_id: "The source whose events it receives, `dc_…`",
    webhook_id: "The webhook that delivers them, `wh_…`",
    active: "Whether events are sent; false after a 410 of the callback, or too many failures",
    expires_at: "Expiry unless it is refreshed, epoch seconds",
    updated_at: "Time of the last refresh, epoch seconds",
  },
  listAgentSubscriptions: {
    owner_id: "Only those of this user, workspace or external user",
    project_id: "Only those of external users of this project",
  },
  Mail: {
    owner_id: "Owner of the workflow that wrote it",
    workflow_id: "The workflow that wrote it, `p_…`",
    to: "E-mail address of the recipient",
    subject: "Subject of the mail",
    text: "Body as plain text; null: there is none",
    html: "Body as HTML; null: there is none",
  },
  Rewrap: {
    checked: "Number of secrets that this call checked",
    left: "Ids of apps, accounts and sources that are not under the current key yet",
    next: "after of the next call; null: this is the end",
  },
  rewrapSecrets: { after: "Position to begin at: 0, or next of the last call" },
};

/** The owner of listed and of created resources. */
function owners(): FieldTable<string> {
  const lists = ["Accounts", "Alerts", "DataStores"].map((what) => `listAll${what}`);
  const created = ["createAccount", "createDataStoreFor"];
  return Object.fromEntries([
    ...[...lists, "listWorkflows", "listMail"].map((list) => [
      list,
      { owner_id: "Only those of this user or workspace" },
    ]),
    ...created.map((operation) => [operation, { owner_id: ANY_OWNER }]),
    ["createWorkflow", { owner_id: ANY_OWNER }],
  ]);
}

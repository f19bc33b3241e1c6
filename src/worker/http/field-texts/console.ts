import { ANYWHERE, type FieldTable } from "./table.ts";

const COUNTS = {
  runs: "Number of ended runs",
  failures: "Number of failed runs",
  events: "Number of events that sources emitted",
  deliveries: "Number of attempts to deliver to webhooks",
  failed_deliveries: "Number of failed attempts",
};

const SPAN = {
  from: "Begin of the span, epoch seconds",
  to: "End of the span, epoch seconds: that of the current hour",
  interval_seconds: "Length of each interval, seconds",
  series: "The intervals of the span with their totals, oldest first",
  "series.at": "Begin of the interval, epoch seconds",
  ...inside("series", COUNTS),
  totals: "Totals of the whole span",
  ...inside("totals", COUNTS),
};

const HOURS = { hours: "Number of hours, including the current one: 1 to 168" };
const ACTIVE = "true: only active ones, false: only inactive ones; absent: all";

const LINK = {
  subscription_id: "Id of the subscription, `sub_…`",
  event_name: "The channel; empty for the default one",
  filter: "Expression that events must match; null: all are delivered",
  emitter_id: "The emitter of the subscription: an id, an owner, or dc_* or p_*",
  name: "Its name, or a webhook's URL; null: it has none, or the caller may not see it",
  active: "Whether it is active; null: it is no single resource, or the caller may not see it",
};

const VERSION = {
  version: "Number of the version, from 1",
  component_id: "The component that it runs, `sc_…`",
  code_hash: "SHA-256 of the code",
  key: "Key of the component; null: it has none",
  name: "Name of the component",
  component_version: "Semantic version of the component",
};

/** Fields for observing the platform: overviews, search and the like. */
export const CONSOLE_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    dry_run: "true: only counts, without sending",
    "metadata.replay_of":
      "The emit_id of the original, for a replayed event; absent: it is the original",
  },
  "/events": { event_id: "Id of the event in its source, `<epoch milliseconds>-<count>`" },
  getSourceVersionCode: { version: "Number of the version, from 1" },
  Activity: SPAN,
  Overview: {
    ...SPAN,
    "totals.before": "Totals of the preceding span of the same length",
    ...inside("totals.before", COUNTS),
    counts: "Number of resources of each kind",
    "counts.sources": "Number of sources",
    "counts.workflows": "Number of workflows",
    "counts.webhooks": "Number of webhooks",
    "counts.accounts": "Number of accounts",
    attention: "Issues that need attention: errors first, then newest first, 50 at most",
  },
  Attention: {
    kind: "Kind of issue",
    severity: "error: a failure; warning: a possible failure",
    resource_type: "Kind of the resource",
    resource_id: "Id of the resource",
    name: "Name of the resource; null: it has none",
    message: "The issue, in a sentence",
    since: "Begin of the issue, epoch seconds; null: not known",
    next: "The recommended next step",
    "next.label": "The next step, for a button",
    "next.action": "The next step, for programs",
  },
  getOverview: HOURS,
  getSourceActivity: HOURS,
  getWorkflowActivity: HOURS,
  getWebhookActivity: HOURS,
  Found: {
    type: "Kind of the resource",
    id: "Id of the resource",
    name: "Name of the resource, or a webhook's URL; for an external user and the user's resources the customer's id; for an event its summary",
    detail:
      "Distinguishes it from others of its name: slug, URL, app, key, kind of trigger, environment, channel or state; null: none",
    parent_id:
      "Its parent: the project of an external user and the user's resources, the source of an event, the workflow of a run, the webhook of a delivery; null: none",
    owner_id: "The user or workspace that owns it",
  },
  search: {
    q: "A part of a name or an id, also of a webhook's URL or an account's app; the beginning of a customer's id of an external user; the whole id of an event, a run, a delivery, an external user, or a resource of one; 1 to 200 characters",
    limit: "Maximum resources, 1 to 50",
    offset:
      "next_offset of the previous call, to query further sources, workflows or webhooks for a record",
    next_offset:
      "offset of the next call: some sources, workflows or webhooks were not queried for the record; null: all were, or it was found",
  },
  Listener: { ...LINK, type: "Kind of the listener", id: "Id of the listener" },
  Emitter: {
    ...LINK,
    type: "Kind of the emitter; all_sources, all_workflows and owner: all of an owner",
    id: "Id of the emitter or owner, or dc_* or p_*",
  },
  ...filters(),
  SourceState: {
    db: "Values of $.service.db by key, JSON of the component's own; long ones are truncated texts",
    truncated: "Keys of the truncated values: the parameter key returns a whole one",
    bytes: "Bytes of all keys and values together",
    keys: "Total number of keys",
    next: "after of the next call; null: this is the end",
    timers: "The active timers",
    "timers.prop": "The prop of the timer",
    "timers.next_at_ms": "Time of its next tick, epoch milliseconds",
    "timers.cron": "Its cron expression; absent: it has an interval",
    "timers.timezone": "The time zone of the cron expression",
    "timers.interval_seconds": "Its interval, seconds; absent: it has a cron expression",
  },
  getSourceState: {
    limit: "Maximum values, 1 to 100",
    after: "The key to continue after",
    key: "Only the value of this key, whole",
  },
  SourceVersion: {
    ...VERSION,
    at: "Time of the deployment, epoch seconds",
    by: "The user who deployed it; null: it was not recorded",
    is_current: "Whether it is the current version",
  },
  SourceCode: {
    ...VERSION,
    url: "URL of the code in the deployment's request; null: none",
    entry: "The file with the component",
    files: "The original files; for code without files, one file",
    "files.path": "Path of the file",
    "files.code": "Content of the file",
    truncated: "Whether files are left out, because there are more than 2,000,000 characters",
  },
  previewTimer: {
    cron: "A cron expression of 5 or 6 fields; it or interval_seconds is required",
    timezone: "The time zone of the cron expression; absent: UTC",
    interval_seconds: "Seconds between two ticks, at least 15",
    count: "Number of ticks, 1 to 20",
    ticks: "Times of the ticks, epoch milliseconds",
  },
  resumeRun: { data: "Any JSON: the body of the request that the next steps see; absent: none" },
  OwnApiKey: {
    id: "Id of the API key, `key_…`",
    name: "Name of the API key; null: it has none",
    last_used_at: "Time of the last use, epoch seconds, to the hour; null: none recorded",
    is_current: "Whether this request uses it",
  },
  NewOwnApiKey: {
    id: "Id of the API key, `key_…`",
    name: "Name of the API key; null: it has none",
    api_key: "The API key. Shown only once",
  },
  createOwnApiKey: {
    name: "Name of the key for people, at most 256 characters; null: none",
  },
  AgentGrant: {
    id: "Id of the key or the client, `agr_…`",
    name: "Name of the key, or the client's own name",
    kind: "key: created here; client: authorized by OAuth",
    scope: "Scopes of the agent: read, act and subscribe; app:… and account:… narrow them",
    owner_id: "The owner that it acts for: a user, a workspace or an external user",
  },
  NewAgentKey: {
    id: "Id of the key, `agr_…`",
    name: "Name of the key",
    kind: "key",
    scope: "Scopes of the agent: read, act and subscribe; app:… and account:… narrow them",
    owner_id: "The owner that it acts for: a user, a workspace or an external user",
    agent_key: "The key, valid only at /mcp. Shown only once",
  },
  createAgentKey: {
    name: "Name of the key for people, 1 to 100 characters",
    scope:
      "Scopes of the agent, separated by spaces: at least one of read, act and subscribe; app:… and account:… narrow them to these apps and accounts",
    project_id: "The project of the external user that the agent acts for",
    environment: "The environment of the project; null: production",
    external_user_id: "The external user that the agent acts for, by the customer's id",
  },
  "/agent_keys": { id: "Id of the key or the client, `agr_…`" },
  "/api_keys": { id: "Id of the API key, `key_…`" },
  DayUsage: {
    day: "The day (UTC)",
    invocations: "Number of runs",
    compute_ms: "Compute time, milliseconds",
    credits: "Credits used, each a started 30 s of compute",
  },
  ...days(),
  WorkspaceMember: {
    user_id: "The user, `u_…`",
    username: "Name of the user",
    email: "E-mail address of the user",
    joined_at: "Begin of the membership, epoch seconds",
  },
  ParkedEvent: {
    id: "Id of the record in the source's `$errors`",
    source_id: "Id of the source, `dc_…`",
    source_name: "Name of the source",
    owner_id: "The user or workspace that owns the source",
    at_ms: "Time when it was parked, epoch milliseconds",
    code: "The reason: `RunAbandoned`, `TooManyHops` or `TooManyRuns`",
    message: "The reason, in a sentence",
  },
  DeliveryDetails: {
    request:
      "The request of the last attempt, or of the first one to come, with the current URL of the webhook and without signatures",
    "request.method": "Method of the request",
    "request.url": "URL of the request",
    "request.headers": "Headers of the request by name",
    "request.body": "Body of the request, at most 262,144 characters of it",
    "request.body_bytes": "Bytes of the whole body",
    "request.truncated": "Whether the body is truncated",
    response:
      "The response to the last attempt; null: there was none, or an older release did not store it",
    "response.headers": "Headers by name: at most 4 KB, without secret values",
    "response.body": "The first 8 KB of its body",
    "response.truncated": "Whether the body is truncated",
  },
};

/** The filters of lists: by a text, or by activity. */
function filters(): FieldTable<string> {
  const q = "A part of the name or the id";
  const lists = {
    listSources: { q, active: ACTIVE },
    listWebhooks: { q: `${q}, or of the URL`, active: ACTIVE },
    listAccounts: { q: `${q}, or of the app` },
  };
  return {
    ...lists,
    listOwnWorkflows: { q, active: ACTIVE },
    listWorkspaceSources: lists.listSources,
    listWorkspaceWebhooks: lists.listWebhooks,
    listWorkspaceWorkflows: { q, active: ACTIVE },
    listWorkspaceAccounts: lists.listAccounts,
  };
}

function days(): FieldTable<string> {
  const range = {
    from: "The first day (UTC), at most 399 days before to; absent: 29 days before to",
    to: "The last day (UTC); absent: today",
  };
  const quotas = "The current daily quotas of the caller or the workspace";
  const stored_bytes =
    "Bytes that sources, workflows, webhooks, data stores and stashes take, as last reported";
  return {
    getDailyUsage: { ...range, quotas, stored_bytes },
    getUserUsage: range,
    getWorkspaceUsage: range,
  };
}

function inside(place: string, texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`${place}.${name}`, text]),
  );
}

import { ANYWHERE, type FieldTable } from "./table.ts";

const COUNTS = {
  runs: "How many runs ended",
  failures: "How many of the runs failed",
  events: "How many events sources emitted",
  deliveries: "How often webhooks were sent to",
  failed_deliveries: "How many of those attempts failed",
};

const SPAN = {
  from: "Begin of the span, epoch seconds",
  to: "End of the span, epoch seconds: that of the running hour",
  interval_seconds: "Length of each interval, seconds",
  series: "The intervals of the span with their totals, oldest first",
  "series.at": "Begin of the interval, epoch seconds",
  ...inside("series", COUNTS),
  totals: "Totals of the whole span",
  ...inside("totals", COUNTS),
};

const HOURS = { hours: "How many hours, the running one included: 1 to 168" };
const ACTIVE = "true: only active ones, false: only inactive ones; absent: all";

const LINK = {
  subscription_id: "Id of the subscription, `sub_…`",
  event_name: "The channel; empty for the default one",
  filter: "Expression that events have to match; null: all are delivered",
  emitter_id: "The emitter of the subscription: an id, an owner, or dc_* or p_*",
  name: "Name of it, of a webhook without one its URL; null: it has none, or the caller may not see it",
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

/** Fields of overviews, search and all else that people look at to see how something does. */
export const CONSOLE_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    dry_run: "true: only counts, and sends nothing",
    "metadata.replay_of":
      "Of an event that was sent again: the emit_id of the first one; absent: it is the first",
  },
  "/events": { event_id: "Id of the event in its source, `<epoch milliseconds>-<count>`" },
  getSourceVersionCode: { version: "Number of the version, from 1" },
  Activity: SPAN,
  Overview: {
    ...SPAN,
    "totals.before": "Totals of the preceding span of the same length",
    ...inside("totals.before", COUNTS),
    counts: "How much there is of each kind",
    "counts.sources": "How many sources there are",
    "counts.workflows": "How many workflows there are",
    "counts.webhooks": "How many webhooks there are",
    "counts.accounts": "How many accounts there are",
    attention: "Issues that need attention: errors first, then the newest, 50 at most",
  },
  Attention: {
    kind: "Kind of issue",
    severity: "error: something does not work; warning: it may stop to",
    resource_type: "Kind of the resource",
    resource_id: "Id of the resource",
    name: "Name of the resource; null: it has none",
    message: "The issue, in a sentence",
    since: "Since when, epoch seconds; null: not known",
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
    name: "Name of the resource, of a webhook without one its URL; of an external user and the user's resources the customer's id; of an event its summary",
    detail:
      "Distinguishes it from others of its name: slug, URL, app, key, kind of trigger, environment, channel or state; null: nothing",
    parent_id:
      "What it is a part of: the project of an external user and the user's resources, the source of an event, the workflow of a run, the webhook of a delivery; null: nothing",
    owner_id: "The user or workspace that owns it",
  },
  search: {
    q: "A part of a name or an id, of a webhook also of its URL, of an account of its app; the beginning of a customer's id of an external user; the whole id of an event, a run, a delivery, an external user, or a resource of one; 1 to 200 characters",
    limit: "How many resources are returned at most, 1 to 50",
  },
  Listener: { ...LINK, type: "Kind of the listener", id: "Id of the listener" },
  Emitter: {
    ...LINK,
    type: "Kind of the emitter; all_sources, all_workflows and owner: all of an owner's",
    id: "Id of the emitter or owner, or dc_* or p_*",
  },
  ...filters(),
  SourceState: {
    db: "Values of $.service.db by key, JSON of the component's own; long ones are cut and texts then",
    truncated: "Keys of the values that are cut: key reads one whole",
    bytes: "Bytes of all keys and values together",
    keys: "How many keys there are in all",
    next: "after of the next call; null: that was all",
    timers: "The timers that run",
    "timers.prop": "The prop of the timer",
    "timers.next_at_ms": "When it fires next, epoch milliseconds",
    "timers.cron": "Its cron expression; absent: it has an interval",
    "timers.timezone": "The time zone of the cron expression",
    "timers.interval_seconds": "Its interval, seconds; absent: it has a cron expression",
  },
  getSourceState: {
    limit: "How many values are returned at most, 1 to 100",
    after: "The key to go on after",
    key: "Only the value of this key, whole",
  },
  SourceVersion: {
    ...VERSION,
    at: "When it was deployed, epoch seconds",
    by: "The user who deployed it; null: it was not recorded",
    is_current: "Whether the source runs it now",
  },
  SourceCode: {
    ...VERSION,
    url: "Where the deployment said that the code comes from; null: it did not",
    entry: "The file that has the component",
    files: "The files as they were deployed; of code that came as one text, that",
    "files.path": "Path of the file",
    "files.code": "Content of the file",
    truncated: "Whether files are left out, because there are more than 2,000,000 characters",
  },
  previewTimer: {
    cron: "A cron expression of 5 or 6 fields; it or interval_seconds is needed",
    timezone: "The time zone of the cron expression; absent: UTC",
    interval_seconds: "Seconds between two ticks, at least 15",
    count: "How many ticks are returned, 1 to 20",
    ticks: "When the timer fires, epoch milliseconds",
  },
  resumeRun: { data: "Any JSON: the body of the request that the next steps see; absent: none" },
  OwnApiKey: {
    id: "Id of the API key, `key_…`",
    name: "Name of the API key; null: it has none",
    last_used_at:
      "When it was used last, epoch seconds, to the hour; null: not since this is recorded",
    is_current: "Whether this request was made with it",
  },
  NewOwnApiKey: {
    id: "Id of the API key, `key_…`",
    name: "Name of the API key; null: it has none",
    api_key: "The API key. Shown this once",
  },
  createOwnApiKey: {
    name: "Name by which people know the key, at most 256 characters; null: none",
  },
  AgentGrant: {
    id: "Id of the key or the client, `agr_…`",
    name: "Name of the key, or the client's own name",
    kind: "key: it was made here; client: it was authorized by OAuth",
    scope: "Scopes of the agent: read, act and subscribe; app:… and account:… narrow them",
    owner_id: "For whom it acts: a user, a workspace or an external user",
  },
  NewAgentKey: {
    id: "Id of the key, `agr_…`",
    name: "Name of the key",
    kind: "key",
    scope: "Scopes of the agent: read, act and subscribe; app:… and account:… narrow them",
    owner_id: "For whom it acts: a user, a workspace or an external user",
    agent_key: "The key, which opens /mcp and nothing else. Shown this once",
  },
  createAgentKey: {
    name: "Name by which people know the key, 1 to 100 characters",
    scope:
      "Scopes of the agent, separated by spaces: at least one of read, act and subscribe; app:… and account:… narrow them to these apps and accounts",
    project_id: "The project of the external user for whom the agent acts",
    environment: "The environment of the project; null: production",
    external_user_id: "The external user for whom the agent acts, by the customer's id",
  },
  "/agent_keys": { id: "Id of the key or the client, `agr_…`" },
  "/api_keys": { id: "Id of the API key, `key_…`" },
  DayUsage: {
    day: "The day (UTC)",
    invocations: "How many runs there were",
    compute_ms: "How long code ran, milliseconds",
    credits: "Credits used, each a started 30 s of compute",
  },
  ...days(),
  WorkspaceMember: {
    user_id: "The user, `u_…`",
    username: "Name of the user",
    email: "E-mail address of the user",
    joined_at: "Since when the user belongs to the workspace, epoch seconds",
  },
  ParkedEvent: {
    id: "Id of the record in the source's `$errors`",
    source_id: "Id of the source, `dc_…`",
    source_name: "Name of the source",
    owner_id: "The user or workspace that owns the source",
    at_ms: "When it was parked, epoch milliseconds",
    code: "Why: `RunAbandoned`, `TooManyHops` or `TooManyRuns`",
    message: "Why, in a sentence",
  },
  DeliveryDetails: {
    request:
      "The request as the last attempt sent it, or as the first will; to where the webhook points now, without signatures",
    "request.method": "Method of the request",
    "request.url": "URL of the request",
    "request.headers": "Headers of the request by name",
    "request.body": "Body of the request, at most 262,144 characters of it",
    "request.body_bytes": "Bytes of the whole body",
    "request.truncated": "Whether the body is cut",
    response:
      "The response to the last attempt; null: none came, or it came to a release that kept none",
    "response.headers": "Its headers by name: at most 4 KB, without the values of secret ones",
    "response.body": "The first 8 KB of its body",
    "response.truncated": "Whether the body is cut",
  },
};

/** Lists filter by a text, or by activity. */
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
  return { getDailyUsage: range, getUserUsage: range, getWorkspaceUsage: range };
}

function inside(place: string, texts: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [`${place}.${name}`, text]),
  );
}

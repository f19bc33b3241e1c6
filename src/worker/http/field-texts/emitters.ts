import { ANYWHERE, type FieldTable } from "./table.ts";

const CHANNEL =
  "A channel: empty for the default one, the name of a custom one, or $errors, $logs or $alerts";
const LISTENER = "The listener: a webhook, a workflow or a source";

/** Fields of sources, their events and runs, and of subscriptions. */
export const EMITTER_TEXTS: FieldTable<string> = {
  [ANYWHERE]: {
    "last-event-id": "Id of the last received message, or of an event: the stream resumes after it",
    expand: "event: each event whole, even if it has more than 1 KB",
    filter:
      "Expression that events must match, at most 1,000 characters; empty: all. Absent: unchanged",
  },
  "/sources": { id: "Id of the source, `dc_…`" },
  Source: {
    id: "Id of the source, `dc_…`",
    user_id: "The user who deployed it",
    component_id: "The component that it runs, `sc_…`",
    configured_props:
      "Values of its props by name, JSON of the component's own; an HTTP interface has its endpoint_url, secrets are left out",
    active: "Whether its timers, endpoint and subscriptions trigger it",
    name: "Name of the source, by default the slug of its component's name",
    name_slug: "Slug of the name, unique among the sources of its owner",
    shards: "Number of objects that take its HTTP events; absent: one",
  },
  sources: {
    component_id:
      "The component to deploy, `sc_…`; else its code, key or URL is used, in this order",
    key: "Key of the component to deploy: the newest published version",
    name: "Name of the source; absent: the slug of its component's name",
    active: "false: timers, endpoint and subscriptions no longer trigger it. Absent: true",
    shards:
      "Number of objects that take its HTTP events, at most 16, for a component without $.service.db and dedupe; absent: one, in an update unchanged",
  },
  updateSource: {
    component_id:
      "The component to deploy, `sc_…`; else its code, key or URL is used. All absent: it keeps its code",
    name: "Name of the source; absent: unchanged",
    configured_props:
      "Values of props by name, merged into the current ones: JSON of the component's own, checked by the type of each prop",
  },
  runSource: {
    event: "Argument of run: any JSON. Absent: that of the source's own trigger",
    wait: "Maximum seconds to wait for the end of the run",
  },
  Run: {
    run_id: "Id of the run, also in its log lines and errors",
    state:
      "accepted: stored, without waiting; running: it takes longer than wait; failed: run threw an error",
    events: "Events of the run after dedupe, oldest first; only if it has ended",
    response: "Argument of respond(), which is sent to no client; absent: not called",
    source_id: "The source that ran, `dc_…`",
    logs: "Log lines of the run, oldest first; only if it has ended",
    "logs.level": "info (also of console.log), warn, error or debug",
    "logs.message": "The log line",
    "logs.ts": "Time of the log line, epoch milliseconds",
    "logs.run_id": "The run that logged it",
    errors: "Errors of the run; only if it has ended",
    "errors.code": "Name of the error's class",
    "errors.cellId": "The bundle that threw it, `c_…`",
    "errors.ts": "Time of the error, ISO 8601",
    "errors.message": "Message of the error",
    "errors.stack": "Stack trace of the error; empty if there is none",
    "response.status": "HTTP status of the response",
    "response.headers": "Headers of the response by name",
    "response.body": "Body of the response as text; null: it has none",
  },
  EventSummary: {
    id: "Id of the event in its emitter, `<epoch milliseconds>-<count>`",
    indexed_at_ms: "Time when the event was stored, epoch milliseconds",
    event: "The emitted payload: any JSON; above 1 KB with truncated values, unless expand=event",
    metadata: "Metadata of the event",
    "metadata.emit_id": "Id of the emit, unique over all emitters",
    "metadata.name": "The channel; empty for the default one",
    "metadata.emitter_id": "The source or workflow that emitted it",
    "metadata.id": "The id in the component's emit, for dedupe",
    "metadata.summary": "The summary in the component's emit",
    "metadata.ts": "The time in the component's emit, epoch milliseconds",
    truncated: "Whether values of the event are truncated; absent: it is whole",
  },
  ...eventLists(),
  ...streams(),
  listLatestSourceEvents: {
    n: "Maximum events, 1 to 100",
    event_name: "The channel; empty: the default one. Absent: the default and the custom ones",
  },
  deleteSourceEvents: {
    start_id: "Id of the first event to delete; absent: from the oldest on",
    end_id: "Id of the last event to delete; absent: up to the newest",
    event_name: "Only events of this channel; absent: of the default and the custom ones",
  },
  Subscription: {
    id: "Id of the subscription, `sub_…`",
    emitter_id: "The emitter of the delivered events: an id, an owner, or dc_* or p_*",
    listener_id: LISTENER,
    event_name: CHANNEL,
    filter: "Expression that an event must match; absent: all events are delivered",
  },
  AutoSubscription: {
    id: "Id of the auto-subscription, `asub_…`",
    event_name: "The channel of every emitter created later",
    listener_id: LISTENER,
    filter: "Expression that an event must match; absent: all events are delivered",
  },
  subscriptions: {
    emitter_id:
      "The emitter of the delivered events: a source, workflow or webhook, a user or workspace for the $errors or $alerts of all its resources, or dc_* or p_* for all its sources or workflows",
    listener_id: LISTENER,
    event_name: `${CHANNEL}. Absent: the default one`,
  },
  auto_subscriptions: {
    event_name: "The channel of every emitter created later",
    listener_id: LISTENER,
  },
};

/** The parameters of streams of event summaries. */
function streams(): FieldTable<string> {
  const event_name =
    "Channels; repeat it for several. $emits: all but the platform's own, the default. $runs: the runs of a source as they end";
  const emitter_id = "Only these sources and workflows; repeat it for several. Absent: all";
  return {
    followSource: { event_name },
    followWorkflow: { event_name },
    followAll: { event_name, emitter_id },
  };
}

/** The parameters of lists of event summaries. */
function eventLists(): FieldTable<string> {
  const text =
    "The channel; empty: the default one. Absent: the default and the custom ones. Without effect on $errors, $logs and $alerts";
  const lists = ["Events", "Errors", "Alerts", "Logs"];
  return Object.fromEntries(
    lists.flatMap((list) =>
      ["Source", "Workflow"].map((owner) => [`list${owner}${list}`, { event_name: text }]),
    ),
  );
}

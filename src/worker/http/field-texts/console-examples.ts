import { CODE, EVENT_ID, MILLISECONDS, SECONDS } from "./samples.ts";
import { ANYWHERE, type FieldTable } from "./table.ts";

const COUNTS = { runs: 120, failures: 3, events: 118, deliveries: 240, failed_deliveries: 4 };

const SPAN = {
  from: SECONDS,
  to: SECONDS + 86_400,
  interval_seconds: 3_600,
  "series.at": SECONDS,
  ...inside("series", COUNTS),
  ...inside("totals", COUNTS),
};

/** Examples of fields for observing the platform: overviews, search and the like. */
export const CONSOLE_EXAMPLES: FieldTable = {
  [ANYWHERE]: {
    "metadata.replay_of": "2zVhT0b6fKp1mZ0aYb7Kd2",
    hours: 24,
    q: "orders",
    subscription_id: "sub_5d0",
  },
  search: { offset: 250, next_offset: 250 },
  Activity: SPAN,
  Overview: {
    ...SPAN,
    "totals.before": COUNTS,
    ...inside("totals.before", COUNTS),
    "counts.sources": 7,
    "counts.workflows": 3,
    "counts.webhooks": 2,
    "counts.accounts": 4,
  },
  Attention: {
    resource_id: "dc_5d0",
    name: "orders",
    message: "3 of 4 runs failed since yesterday (UTC)",
    since: SECONDS,
    "next.label": "Read its errors",
  },
  Found: { id: "exu_5d0", name: "user-17", detail: "production", parent_id: "proj_5d0" },
  Listener: { id: "wh_5d0", name: "Pager", event_name: "", active: true },
  Emitter: { id: "dc_5d0", name: "orders", event_name: "", active: true },
  Source: { shards: 4 },
  sources: { shards: 4 },
  SourceState: {
    db: { cursor: 42 },
    truncated: ["seen"],
    bytes: 2_048,
    keys: 2,
    next: "cursor",
    "timers.prop": "timer",
    "timers.next_at_ms": MILLISECONDS,
  },
  getSourceState: { after: "cursor", key: "seen" },
  SourceVersion: {
    version: 2,
    key: "shop-orders",
    name: "orders",
    component_version: "1.0.0",
    at: SECONDS,
    by: "u_5d0",
  },
  SourceCode: {
    version: 2,
    key: "shop-orders",
    name: "orders",
    component_version: "1.0.0",
    url: "https://example.com/orders.ts",
    entry: "orders.ts",
    files: [{ path: "orders.ts", code: CODE }],
    "files.path": "orders.ts",
    "files.code": CODE,
  },
  previewTimer: { ticks: [MILLISECONDS] },
  resumeRun: { data: { approved: true } },
  OwnApiKey: { id: "key_5d0", name: "Laptop", last_used_at: SECONDS },
  NewOwnApiKey: { id: "key_5d0", name: "Laptop" },
  createOwnApiKey: { name: "Laptop" },
  AgentGrant: { id: "agr_5d0", name: "Robot", scope: "read act app:slack", owner_id: "u_5d0" },
  NewAgentKey: {
    id: "agr_5d0",
    name: "Robot",
    scope: "read act app:slack",
    owner_id: "u_5d0",
    agent_key: "wsag_4fPqUc8nTQw1mZ0aYb7Kd2",
  },
  createAgentKey: {
    name: "Robot",
    scope: "read act app:slack",
    project_id: "proj_5d0",
    environment: "production",
    external_user_id: "user-17",
  },
  DayUsage: { day: "2026-01-31", invocations: 1_200, compute_ms: 84_000, credits: 1_200 },
  WorkspaceMember: { joined_at: SECONDS },
  DeliveryDetails: {
    "request.url": "https://example.com/hook",
    "request.headers": {
      "webhook-id": "2zVhT0b6fKp1mZ0aYb7Kd2",
      "x-wellspring-event-id": EVENT_ID,
    },
    "request.body": '{"order":7}',
    "request.body_bytes": 11,
    "response.headers": { "content-type": "text/plain" },
    "response.body": "ok",
  },
};

function inside(place: string, values: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [`${place}.${name}`, value]),
  );
}

import { createRoute, z } from "@hono/zod-openapi";

import { HOUR_SECONDS } from "#domain/activity.ts";
import {
  type Activity,
  type ActivitySpan,
  type Attention,
  getActivity,
  getOverview,
} from "#services/overview/overview.ts";
import { listParkedEvents } from "#services/overview/parked-events.ts";

import { all, createRouter, digits, one, Ownership, workspaceIn } from "../openapi.ts";
import { ParkedEventBody, presentParkedEvent } from "../parked-event-body.ts";
import { SourceId, WebhookId, WorkflowId } from "../resource-ids.ts";

/** A week: the week before it is kept for comparison. */
const MAX_HOURS = 168;

const Hours = digits(z.int().min(1).max(MAX_HOURS)).default(24);

const counts = {
  runs: z.int(),
  failures: z.int(),
  events: z.int(),
  deliveries: z.int(),
  failed_deliveries: z.int(),
};

const span = {
  from: z.int(),
  to: z.int(),
  interval_seconds: z.int(),
  series: z.array(z.object({ at: z.int(), ...counts })),
};

const ActivityBody = z.object({ ...span, totals: z.object(counts) }).openapi("Activity");

const AttentionBody = z
  .object({
    kind: z.enum([
      "failing_source",
      "failing_workflow",
      "failing_webhook",
      "silent_source",
      "late_timer",
      "account_lost",
      "parked_event",
      "dead_account",
      "inactive_webhook",
      "quota",
    ]),
    severity: z.enum(["error", "warning"]),
    resource_type: z.enum(["source", "workflow", "webhook", "account", "user", "workspace"]),
    resource_id: z.string(),
    name: z.string().nullable(),
    message: z.string(),
    since: z.int().nullable(),
    next: z.object({
      label: z.string(),
      action: z.enum([
        "read_errors",
        "read_runs",
        "read_deliveries",
        "read_logs",
        "run_source",
        "choose_account",
        "reconnect_account",
        "activate_webhook",
        "read_usage",
      ]),
    }),
  })
  .openapi("Attention");

const OverviewBody = z
  .object({
    ...span,
    totals: z.object({ ...counts, before: z.object(counts) }),
    counts: z.object({
      sources: z.int(),
      workflows: z.int(),
      webhooks: z.int(),
      accounts: z.int(),
    }),
    attention: z.array(AttentionBody),
  })
  .openapi("Overview");

const read = createRoute({
  operationId: "getOverview",
  method: "get",
  path: "/overview",
  request: { query: z.object({ hours: Hours, ...Ownership }) },
  responses: one(OverviewBody),
});

const parked = createRoute({
  operationId: "listParkedEvents",
  method: "get",
  path: "/parked_events",
  request: { query: z.object(Ownership) },
  responses: all(ParkedEventBody),
});

const ActivityQuery = z.object({ hours: Hours });

const ofSource = createRoute({
  operationId: "getSourceActivity",
  method: "get",
  path: "/sources/{id}/activity",
  request: { params: SourceId, query: ActivityQuery },
  responses: one(ActivityBody),
});

const ofWorkflow = createRoute({
  operationId: "getWorkflowActivity",
  method: "get",
  path: "/workflows/{id}/activity",
  request: { params: WorkflowId, query: ActivityQuery },
  responses: one(ActivityBody),
});

const ofWebhook = createRoute({
  operationId: "getWebhookActivity",
  method: "get",
  path: "/webhooks/{id}/activity",
  request: { params: WebhookId, query: ActivityQuery },
  responses: one(ActivityBody),
});

export const overview = createRouter()
  .openapi(parked, async (c) => {
    const found = await listParkedEvents(c.var.context, workspaceIn(c.req.valid("query")));
    return c.json({ data: found.map(presentParkedEvent) }, 200);
  })
  .openapi(read, async (c) => {
    const { hours, ...ownership } = c.req.valid("query");
    const found = await getOverview(c.var.context, { hours, workspace: workspaceIn(ownership) });
    const { totals, ...shown } = presentSpan(found);
    return c.json(
      {
        data: {
          ...shown,
          totals: { ...totals, before: presentCounts(found.before) },
          counts: found.counts,
          attention: found.attention.map(presentAttention),
        },
      },
      200,
    );
  })
  .openapi(ofSource, async (c) => {
    const { hours } = c.req.valid("query");
    const found = await getActivity(c.var.context, c.req.valid("param").id, hours);
    return c.json({ data: presentSpan(found) }, 200);
  })
  .openapi(ofWorkflow, async (c) => {
    const { hours } = c.req.valid("query");
    const found = await getActivity(c.var.context, c.req.valid("param").id, hours);
    return c.json({ data: presentSpan(found) }, 200);
  })
  .openapi(ofWebhook, async (c) => {
    const { hours } = c.req.valid("query");
    const found = await getActivity(c.var.context, c.req.valid("param").id, hours);
    return c.json({ data: presentSpan(found) }, 200);
  });

function presentSpan({ from, to, series, totals }: ActivitySpan): z.input<typeof ActivityBody> {
  return {
    from,
    to,
    interval_seconds: HOUR_SECONDS,
    series: series.map(({ at, ...rest }) => ({ at, ...presentCounts(rest) })),
    totals: presentCounts(totals),
  };
}

function presentCounts({ failedDeliveries, runs, failures, events, deliveries }: Activity) {
  return { runs, failures, events, deliveries, failed_deliveries: failedDeliveries };
}

function presentAttention(found: Attention): z.input<typeof AttentionBody> {
  const { resourceType, resourceId, kind, severity, name, message, since, next } = found;
  return {
    kind,
    severity,
    resource_type: resourceType,
    resource_id: resourceId,
    name,
    message,
    since,
    next,
  };
}

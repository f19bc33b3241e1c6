import { createRoute, z } from "@hono/zod-openapi";

import { ALERT_CHANNEL, ERROR_CHANNEL } from "#domain/channels.ts";
import { listWorkflowEvents } from "#services/events.ts";
import {
  endPauseOf,
  getRun,
  listRuns,
  rerunWorkflow,
  runWorkflow,
} from "#services/workflows/runs.ts";

import { causeOf } from "../cause.ts";
import {
  accepted,
  conflict,
  createRouter,
  many,
  one,
  PageQuery,
  params,
  tooMany,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { WorkflowId } from "../resource-ids.ts";
import { EventSummaryBody, SummariesQuery, wantedEvents } from "./event-body.ts";
import { respondWithPage } from "./event-list.ts";
import { presentRun, respondWithRun, RunBody, RunDetailsBody } from "./run-body.ts";

const list = createRoute({
  operationId: "listWorkflowEvents",
  method: "get",
  path: "/workflows/{id}/event_summaries",
  request: { params: WorkflowId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listErrors = createRoute({
  operationId: "listWorkflowErrors",
  method: "get",
  path: "/workflows/{id}/$errors/event_summaries",
  request: { params: WorkflowId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listAlerts = createRoute({
  operationId: "listWorkflowAlerts",
  method: "get",
  path: "/workflows/{id}/$alerts/event_summaries",
  request: { params: WorkflowId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listOfRuns = createRoute({
  operationId: "listRuns",
  method: "get",
  path: "/workflows/{id}/runs",
  request: { params: WorkflowId, query: PageQuery },
  responses: many(RunBody),
});

const readRun = createRoute({
  operationId: "getRun",
  method: "get",
  path: "/workflows/{id}/runs/{run}",
  request: { params: WorkflowId.extend({ run: z.string() }) },
  responses: one(RunDetailsBody),
});

const runNow = createRoute({
  operationId: "runWorkflow",
  method: "post",
  path: "/workflows/{id}/runs",
  description:
    "Run an active workflow now; an inactive one is a 409. The run is stored before the response.",
  request: {
    params: WorkflowId,
    body: params(
      z.object({
        event: z.any().optional(),
      }),
    ),
  },
  responses: one(RunDetailsBody, { ...conflict, ...tooMany }),
});

const rerun = createRoute({
  operationId: "rerunWorkflow",
  method: "post",
  path: "/workflows/{id}/runs/{run}/rerun",
  description:
    "Repeat a run on its event, by the current version. From a step on: exports of earlier steps are taken from that run.",
  request: {
    params: WorkflowId.extend({ run: z.string() }),
    body: params(z.object({ from_step: z.string().min(1).nullish() })),
  },
  responses: one(RunDetailsBody, { ...conflict, ...tooMany }),
});

const RunId = WorkflowId.extend({ run: z.string() });

const resume = createRoute({
  operationId: "resumeRun",
  method: "post",
  path: "/workflows/{id}/runs/{run}/resume",
  request: { params: RunId, body: params(z.object({ data: z.any().optional() })) },
  responses: { ...accepted, ...conflict },
});

const cancel = createRoute({
  operationId: "cancelRun",
  method: "post",
  path: "/workflows/{id}/runs/{run}/cancel",
  request: { params: RunId },
  responses: { ...accepted, ...conflict },
});

export const workflows = createRouter()
  .openapi(resume, async (c) => {
    const { id, run: runId } = c.req.valid("param");
    const { data } = c.req.valid("json");
    await endPauseOf(c.var.context, id, { runId, action: "resume", data });
    return c.body(null, 202);
  })
  .openapi(cancel, async (c) => {
    const { id, run: runId } = c.req.valid("param");
    await endPauseOf(c.var.context, id, { runId, action: "cancel" });
    return c.body(null, 202);
  })
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const query = await openPage(c, c.req.valid("query"));
    const page = await listWorkflowEvents(c.var.context, id, wantedEvents(query, query.event_name));
    return respondWithPage(c, page, id);
  })
  .openapi(listErrors, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(await openPage(c, c.req.valid("query")), ERROR_CHANNEL);
    const page = await listWorkflowEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listAlerts, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(await openPage(c, c.req.valid("query")), ALERT_CHANNEL);
    const page = await listWorkflowEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listOfRuns, async (c) => {
    const page = await listRuns(
      c.var.context,
      c.req.valid("param").id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, presentRun), 200);
  })
  .openapi(readRun, async (c) => {
    const { id, run } = c.req.valid("param");
    return respondWithRun(c, await getRun(c.var.context, id, run));
  })
  .openapi(runNow, async (c) => {
    const { event = {} } = c.req.valid("json");
    const order = { event: JSON.stringify(event), ...causeOf(c.req) };
    const run = await runWorkflow(c.var.context, c.req.valid("param").id, order);
    return respondWithRun(c, run);
  })
  .openapi(rerun, async (c) => {
    const { id, run: runId } = c.req.valid("param");
    const fromStep = c.req.valid("json").from_step ?? undefined;
    const run = await rerunWorkflow(c.var.context, id, { runId, fromStep, ...causeOf(c.req) });
    return respondWithRun(c, run);
  });

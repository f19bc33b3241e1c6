import { createRoute, z } from "@hono/zod-openapi";

import { ERROR_CHANNEL } from "#domain/channels.ts";
import { listWorkflowEvents } from "#services/events.ts";
import {
  type Execution,
  getRun,
  listRuns,
  type RunDetails,
  type RunSummary,
  rerunWorkflow,
  runWorkflow,
} from "#services/workflows/runs.ts";

import { causeOf } from "../cause.ts";
import {
  conflict,
  createRouter,
  idOf,
  many,
  one,
  pageBody,
  PageQuery,
  params,
  tooMany,
} from "../openapi.ts";
import { EventSummaryBody, SummariesQuery, wantedEvents } from "./event-body.ts";
import { respondWithPage } from "./event-list.ts";

const WorkflowId = z.object({ id: idOf("workflow", "p_5d0") });

const Failure = z.object({ code: z.string(), message: z.string(), stack: z.string() });

const RunBody = z
  .object({
    id: z.string(),
    deployment_id: z.string(),
    state: z.enum(["queued", "running", "waiting", "succeeded", "failed", "cancelled"]),
    source_type: z.enum(["http", "timer", "source", "workflow", "manual"]),
    emitter_id: z.string().nullable(),
    queued_at_ms: z.int(),
    started_at_ms: z.int().nullable(),
    ended_at_ms: z.int().nullable(),
    exit_reason: z.string().nullable(),
    error: Failure.nullable(),
    rerun_of: z.string().nullable().openapi({ description: "The run that it repeats" }),
  })
  .openapi("WorkflowRun");

const StepBody = z.object({
  name: z.string(),
  state: z.enum(["succeeded", "failed"]),
  pause: z.enum(["delay", "suspend", "rerun"]).nullable(),
  started_at_ms: z.int(),
  ended_at_ms: z.int(),
  exports: z.record(z.string(), z.any()),
  logs: z.array(z.object({ level: z.string(), message: z.string(), ts: z.int() })),
  error: Failure.nullable(),
  reused: z.boolean().openapi({ description: "Executed in the run that this one repeats" }),
});

const RunDetailsBody = RunBody.extend({ event: z.any(), steps: z.array(StepBody) }).openapi(
  "RunDetails",
);

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
    "Run an active workflow now; an inactive one is a 409. The run is durable when this answers.",
  request: {
    params: WorkflowId,
    body: params(
      z.object({
        event: z.any().optional().openapi({
          description: "`steps.trigger.event`; an empty object where there is none",
        }),
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
    "Repeat a run on its event, by the current version. From a step on: what the steps before it exported is taken from that run.",
  request: {
    params: WorkflowId.extend({ run: z.string() }),
    body: params(z.object({ from_step: z.string().min(1).nullish() })),
  },
  responses: one(RunDetailsBody, { ...conflict, ...tooMany }),
});

export const workflows = createRouter()
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const query = c.req.valid("query");
    const page = await listWorkflowEvents(c.var.context, id, wantedEvents(query, query.event_name));
    return respondWithPage(c, page, id);
  })
  .openapi(listErrors, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(c.req.valid("query"), ERROR_CHANNEL);
    const page = await listWorkflowEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listOfRuns, async (c) => {
    const page = await listRuns(c.var.context, c.req.valid("param").id, c.req.valid("query"));
    return c.json(pageBody(page, presentRun), 200);
  })
  .openapi(readRun, async (c) => {
    const { id, run } = c.req.valid("param");
    return c.json({ data: presentDetails(await getRun(c.var.context, id, run)) }, 200);
  })
  .openapi(runNow, async (c) => {
    const { event = {} } = c.req.valid("json");
    const order = { event: JSON.stringify(event), ...causeOf(c.req) };
    const run = await runWorkflow(c.var.context, c.req.valid("param").id, order);
    return c.json({ data: presentDetails(run) }, 200);
  })
  .openapi(rerun, async (c) => {
    const { id, run: runId } = c.req.valid("param");
    const fromStep = c.req.valid("json").from_step ?? undefined;
    const run = await rerunWorkflow(c.var.context, id, { runId, fromStep, ...causeOf(c.req) });
    return c.json({ data: presentDetails(run) }, 200);
  });

function presentRun(run: RunSummary): z.input<typeof RunBody> {
  return {
    id: run.id,
    deployment_id: run.deploymentId,
    state: run.state,
    source_type: run.sourceType,
    emitter_id: run.emitterId,
    queued_at_ms: run.queuedMs,
    started_at_ms: run.startedMs,
    ended_at_ms: run.endedMs,
    exit_reason: run.exitReason,
    error: presentFailure(run.failure),
    rerun_of: run.rerunOf,
  };
}

function presentDetails(run: RunDetails): z.input<typeof RunDetailsBody> {
  return {
    ...presentRun(run),
    event: JSON.parse(run.event),
    steps: run.executions.map(presentStep),
  };
}

function presentStep(execution: Execution): z.input<typeof StepBody> {
  const { name, failure, pause, startedMs, endedMs, exports, logs, isCarried } = execution;
  return {
    name,
    state: failure ? "failed" : "succeeded",
    pause,
    started_at_ms: startedMs,
    ended_at_ms: endedMs,
    exports: JSON.parse(exports),
    logs: logs.map(({ level, message, atMs }) => ({ level, message, ts: atMs })),
    error: presentFailure(failure),
    reused: isCarried,
  };
}

function presentFailure(failure: RunSummary["failure"]): z.input<typeof Failure> | null {
  return failure && { code: failure.name, message: failure.message, stack: failure.stack };
}

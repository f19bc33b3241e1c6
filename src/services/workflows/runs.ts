import { workflowById, type Workflow } from "#db/workflows.ts";
import type { Cause } from "#domain/chains.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { requestEvent } from "#domain/http-event.ts";
import type { Id } from "#domain/ids.ts";
import type { Json } from "#domain/json.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { fitsBytes } from "#domain/row-size.ts";
import type {
  ExecutionPart,
  RunOrderResult,
  RunDetails,
  RunSummary,
} from "#durable-objects/workflow/contract.ts";

import type { Context } from "../context.ts";

export type { StepExecution, RunSummary } from "#durable-objects/workflow/contract.ts";

/** A run as far as one call carries it, and the position of the rest. */
export type RunRead = RunDetails & { read: (from: number) => Promise<ExecutionPart> };

/** Maximum size of an event: that of an HTTP request. */
const MAX_EVENT_BYTES = 512 * 1024;

/** A workflow that the actor may see. */
export async function workflowFor(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"workflow">,
): Promise<Workflow> {
  const workflow = await workflowById(ctx.db, ctx.actor.id, id);
  if (!workflow) throw notFound("workflow", id);
  return workflow;
}

/** The unfinished runs of a workflow, and the last hundred ended ones. */
export async function listRuns(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  request: PageRequest,
): Promise<Page<RunSummary>> {
  await workflowFor(ctx, id);
  return ctx.workflows(id).runs(request);
}

/** One run with the outcome of each step. */
export async function getRun(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  runId: string,
): Promise<RunRead> {
  await workflowFor(ctx, id);
  return readRun(ctx, id, runId);
}

async function readRun(
  ctx: Pick<Context, "workflows">,
  id: Id<"workflow">,
  runId: string,
): Promise<RunRead> {
  const workflow = ctx.workflows(id);
  const run = await workflow.run(runId);
  if (!run) throw unknownRun(runId);
  return { ...run, read: (from) => workflow.executions(runId, from) };
}

/** The event (JSON text) and the cause of a run. */
type Order = Cause & { event: string };

/** Run a workflow now, on an event. The run is durable when this resolves. */
export async function runWorkflow(
  ctx: Pick<Context, "actor" | "db" | "requestId" | "workflows">,
  id: Id<"workflow">,
  { event, hops, budget }: Order,
): Promise<RunRead> {
  if (!fitsBytes(event, MAX_EVENT_BYTES))
    throw new RequestError("too_large", "event: an event may have at most 512 KB");
  await workflowFor(ctx, id);
  const order = { event, hops, budget, requestId: ctx.requestId };
  return begun(ctx, id, await ctx.workflows(id).runNow(order));
}

/** The run to repeat, the step to begin at, and the cause. */
type Repetition = Cause & { runId: string; fromStep: string | undefined };

/**
 * Repeat a run on its event by the current version, from the start or from a step on: the exports of earlier steps are
 * copied from the earlier run. Refuses a step that does not exist, or that the earlier run did not reach.
 */
export async function rerunWorkflow(
  ctx: Pick<Context, "actor" | "db" | "requestId" | "workflows">,
  id: Id<"workflow">,
  { runId, fromStep, hops, budget }: Repetition,
): Promise<RunRead> {
  await workflowFor(ctx, id);
  const order = { runId, fromStep, hops, budget, requestId: ctx.requestId };
  const result = await ctx.workflows(id).rerun(order);
  if (!result.ok && result.reason === "unknown_run") throw unknownRun(runId);
  return begun(ctx, id, result);
}

/**
 * Resume a waiting run, with data for its next steps, or cancel it. Its steps see the same request as one to the URL of
 * the pause.
 */
export async function endPauseOf(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  { runId, action, data }: { runId: string; action: "resume" | "cancel"; data?: Json | undefined },
): Promise<void> {
  await workflowFor(ctx, id);
  const request = JSON.stringify(pauseRequest(data));
  const result = await ctx.workflows(id).endPause({ runId, action, request });
  if (result === "unknown_run") throw unknownRun(runId);
  if (result === "too_large")
    throw new RequestError("too_large", "data: it may have at most 512 KB");
  if (result === "not_waiting")
    throw new RequestError("conflict", `The run ${runId} is not waiting`);
}

function pauseRequest(data: Json | undefined): Json {
  const head = { method: "POST", path: "/", url: { href: "", search: "" }, clientIp: "" };
  if (data === undefined) return requestEvent({ ...head, headers: {} });
  const headers = { "content-type": "application/json" };
  return requestEvent({ ...head, headers }, { bodyRaw: JSON.stringify(data), body: data });
}

async function begun(
  ctx: Pick<Context, "workflows">,
  id: Id<"workflow">,
  result: RunOrderResult,
): Promise<RunRead> {
  if (!result.ok) throw refusal(id, result);
  return readRun(ctx, id, result.runId);
}

function refusal(id: Id<"workflow">, result: Extract<RunOrderResult, { ok: false }>): RequestError {
  if (result.reason === "not_from_there")
    return invalidInput([{ path: "from_step", message: result.message }]);
  if (result.reason === "quota_exceeded")
    return new RequestError("quota_exceeded", `The run was not begun: ${result.message}`);
  if (result.reason === "overloaded")
    return new RequestError("overloaded", "Too many events wait for this workflow");
  return new RequestError("conflict", `${id} is inactive; activate it before you run it`);
}

function unknownRun(runId: string): RequestError {
  return new RequestError("not_found", `No run with id ${runId}`);
}

import { workflowById, type Workflow } from "#db/workflows.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import type { RunDetails, RunSummary } from "#durable-objects/workflow/contract.ts";

import type { Context } from "../context.ts";

export type { Execution, RunDetails, RunSummary } from "#durable-objects/workflow/contract.ts";

/** A workflow that the actor may see. */
export async function workflowFor(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"workflow">,
): Promise<Workflow> {
  const workflow = await workflowById(ctx.db, ctx.actor.id, id);
  if (!workflow) throw notFound("workflow", id);
  return workflow;
}

/** The runs of a workflow that are under way, and the last hundred that have ended. */
export async function listRuns(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  request: PageRequest,
): Promise<Page<RunSummary>> {
  await workflowFor(ctx, id);
  return ctx.workflows(id).runs(request);
}

/** One run, with what each of its steps came to. */
export async function getRun(
  ctx: Pick<Context, "actor" | "db" | "workflows">,
  id: Id<"workflow">,
  runId: string,
): Promise<RunDetails> {
  await workflowFor(ctx, id);
  const run = await ctx.workflows(id).run(runId);
  if (!run) throw new RequestError("not_found", `No run with id ${runId}`);
  return run;
}

import * as store from "#db/workflows.ts";
import { notFound } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";
import type { WorkflowStep } from "#domain/workflows.ts";

import type { AppContext } from "../context.ts";
import type { RoutesContext } from "../routes.ts";
import { forgetWorkflow } from "./forget.ts";

/** A record with steps, and the original code of those. */
export type WithCode<T> = Omit<T, "steps"> & {
  steps: (WorkflowStep & { code?: string | undefined })[];
};

/** A workflow with the original code of its steps. */
export type WorkflowWithCode = WithCode<store.Workflow>;

export async function getWorkflow(
  ctx: Pick<AppContext, "codeStore" | "db">,
  id: Id<"workflow">,
): Promise<WorkflowWithCode> {
  const workflow = await store.workflowById(ctx.db, undefined, id);
  if (!workflow) throw notFound("workflow", id);
  return withCode(ctx, workflow);
}

/** The workflows of one owner; without an owner, all workflows. */
export async function listWorkflows(
  ctx: Pick<AppContext, "codeStore" | "db">,
  owner: OwnerId | undefined,
  request: FilteredRequest,
): Promise<Page<WorkflowWithCode>> {
  const page = await store.pageOfWorkflows(ctx.db, owner, request);
  return {
    ...page,
    items: await Promise.all(page.items.map((workflow) => withCode(ctx, workflow))),
  };
}

/** Read the code of the steps of a workflow, or of a version of one. */
export async function withCode<T extends { steps: WorkflowStep[] }>(
  ctx: Pick<AppContext, "codeStore">,
  workflow: T,
): Promise<WithCode<T>> {
  const steps = await Promise.all(
    workflow.steps.map(async (step) => ({
      ...step,
      ...(step.codeHash && { code: await ctx.codeStore.code(step.codeHash) }),
    })),
  );
  return { ...workflow, steps };
}

/** Delete a workflow: its subscriptions end at once, its runs in flight are cancelled, then its data is deleted. */
export async function deleteWorkflow(
  ctx: Pick<AppContext, "workflows"> & RoutesContext,
  id: Id<"workflow">,
): Promise<void> {
  const workflow = await store.workflowById(ctx.db, undefined, id);
  if (!workflow) throw notFound("workflow", id);
  await ctx.workflows(id).remove();
  await forgetWorkflow(ctx, workflow);
}

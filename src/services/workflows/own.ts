import type { Id } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";

import { ownerFor } from "../access.ts";
import type { Context } from "../context.ts";
import type { RoutesContext } from "../routes.ts";
import {
  createWorkflow,
  updateWorkflow,
  type WorkflowChange,
  type WorkflowInput,
} from "./deploy.ts";
import { deleteWorkflow, listWorkflows, withCode, type WorkflowWithCode } from "./read.ts";
import { workflowFor } from "./runs.ts";

export type NewOwnWorkflow = Omit<WorkflowInput, "by" | "ownerId"> & {
  workspace?: Id<"workspace"> | undefined;
};

/** Deploy a new workflow for the actor, or for a workspace that the actor belongs to. Refuses like `createWorkflow`. */
export async function createOwnWorkflow(
  ctx: Context,
  { workspace, ...input }: NewOwnWorkflow,
): Promise<WorkflowWithCode> {
  const ownerId = await ownerFor(ctx, workspace);
  return withCode(ctx, await createWorkflow(ctx, { ownerId, by: ctx.actor.id, ...input }));
}

/** Deploy a new version of a workflow that the actor may see. Refuses like `updateWorkflow`. */
export async function updateOwnWorkflow(
  ctx: Context,
  id: Id<"workflow">,
  change: WorkflowChange,
): Promise<WorkflowWithCode> {
  await workflowFor(ctx, id);
  return withCode(ctx, await updateWorkflow(ctx, { id, by: ctx.actor.id, ...change }));
}

/** A workflow that the actor may see, with the code of its steps. */
export async function getOwnWorkflow(
  ctx: Pick<Context, "actor" | "codeStore" | "db">,
  id: Id<"workflow">,
): Promise<WorkflowWithCode> {
  return withCode(ctx, await workflowFor(ctx, id));
}

/** The workflows of the actor, or of a workspace that the actor belongs to, newest first. */
export async function listOwnWorkflows(
  ctx: Pick<Context, "actor" | "codeStore" | "db" | "workspace">,
  workspace: Id<"workspace"> | undefined,
  request: FilteredRequest,
): Promise<Page<WorkflowWithCode>> {
  return listWorkflows(ctx, await ownerFor(ctx, workspace), request);
}

/** Delete a workflow that the actor may see: its runs end, then all of its data is deleted. */
export async function deleteOwnWorkflow(
  ctx: Pick<Context, "actor" | "workflows"> & RoutesContext,
  id: Id<"workflow">,
): Promise<void> {
  await workflowFor(ctx, id);
  await deleteWorkflow(ctx, id);
}

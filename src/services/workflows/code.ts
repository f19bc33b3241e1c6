import { checkAgain, settleCode, uncheckedWorkflows } from "#db/workflow-code.ts";
import { workflowWithPlan } from "#db/workflow-versions.ts";
import type { Workflow } from "#db/workflows.ts";
import { log } from "#telemetry/log.ts";

import { planFor } from "../access.ts";
import type { AppContext } from "../context.ts";
import { CHANGE_LASTS_SECONDS } from "../sources/update.ts";
import { deploymentOf, provideScripts } from "./deployment.ts";
import { plannedSteps } from "./plans.ts";

/** Maximum workflows that one sweep queries for their running code. The next sweep is a minute away. */
export const WORKFLOWS_A_SWEEP = 50;

/** The dependencies of checking a workflow. */
type Deps = Pick<AppContext, "db" | "now" | "origin" | "requestId" | "scripts" | "workflows">;

/**
 * Query redeployed workflows for the older versions that runs still use: the code of those stays in use, that of others
 * does not. A deployment that did not reach the object because of a crash is sent to it. The next sweep retries a
 * failure, which is logged. Idempotent.
 */
export async function settleWorkflowCode(ctx: Deps): Promise<number> {
  let settled = 0;
  for (const workflow of await uncheckedWorkflows(ctx.db, WORKFLOWS_A_SWEEP)) {
    try {
      await settle(ctx, workflow);
      settled += 1;
    } catch (error) {
      log("workflow_unswept", { request_id: ctx.requestId, workflow_id: workflow.id, error });
    }
  }
  return settled;
}

async function settle(ctx: Deps, workflow: Workflow): Promise<void> {
  const now = ctx.now();
  const object = ctx.workflows(workflow.id);
  let inUse = await object.code();
  if (!inUse.some(({ deploymentId }) => deploymentId === workflow.deploymentId)) {
    // An unfinished deployment may be about to send it.
    if (workflow.updatedAt > now - CHANGE_LASTS_SECONDS)
      return checkAgain(ctx.db, workflow.id, now);
    if (await endDeployment(ctx, workflow)) inUse = await object.code();
  }
  // The original code is shown for the current version only.
  const sent = workflow.steps.flatMap(({ codeHash }) => codeHash ?? []);
  const listed = inUse.map(({ deploymentId: id, bundleHashes }) => ({
    id,
    hashes: id === workflow.deploymentId ? [...bundleHashes, ...sent] : bundleHashes,
  }));
  await settleCode(ctx.db, workflow, listed, { now, before: now - CHANGE_LASTS_SECONDS });
}

/** Send the deployment in the row of a workflow to its object. False if an older release wrote the row. */
async function endDeployment(ctx: Deps, { id }: Pick<Workflow, "id">): Promise<boolean> {
  const found = await workflowWithPlan(ctx.db, id);
  if (!found?.plan) return false;
  const { workflow } = found;
  const plan = await planFor(ctx, workflow.ownerId);
  const deployment = deploymentOf(ctx, workflow, { plan, steps: plannedSteps(found.plan) });
  await provideScripts(ctx, deployment);
  await ctx.workflows(id).deploy(deployment, workflow.active);
  // It may have been deleted meanwhile, with the rows of its object.
  if (!(await workflowWithPlan(ctx.db, id))) await ctx.workflows(id).remove();
  return true;
}

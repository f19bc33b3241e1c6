import { settleCode, uncheckedWorkflows } from "#db/workflow-code.ts";
import type { Workflow } from "#db/workflows.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import { CHANGE_LASTS_SECONDS } from "../sources/update.ts";

/** How many workflows one sweep asks what they run. The next one is a minute away. */
const WORKFLOWS_A_SWEEP = 50;

/**
 * Learn of workflows that were deployed anew which older versions runs still go by: the code of those stays in use, and
 * that of others no longer is. A failure is logged and left to the next sweep. Idempotent.
 */
export async function settleWorkflowCode(
  ctx: Pick<AppContext, "db" | "now" | "requestId" | "workflows">,
): Promise<number> {
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

async function settle(
  ctx: Pick<AppContext, "db" | "now" | "workflows">,
  workflow: Workflow,
): Promise<void> {
  const now = ctx.now();
  const inUse = await ctx.workflows(workflow.id).code();
  // Code as it was sent is shown of the current version alone.
  const sent = workflow.steps.flatMap(({ codeHash }) => codeHash ?? []);
  const listed = inUse.map(({ deploymentId: id, bundleHashes }) => ({
    id,
    hashes: id === workflow.deploymentId ? [...bundleHashes, ...sent] : bundleHashes,
  }));
  await settleCode(ctx.db, workflow, listed, { now, before: now - CHANGE_LASTS_SECONDS });
}

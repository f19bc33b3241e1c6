import { insertPlan, type Plan, workflowWithPlan } from "#db/workflow-versions.ts";
import * as store from "#db/workflows.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { type ActorId, type Id, newId } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import type { WorkflowTrigger } from "#domain/workflows.ts";

import { planFor } from "../access.ts";
import type { AppContext } from "../context.ts";
import { deploymentOf, provideScripts, refuseTooLarge } from "./deployment.ts";
import { areSameSteps, hashesOf, plannedSteps, type Steps, storedPlan } from "./plans.ts";

/** Maximum rounds: of several concurrent deployments of a workflow, one takes effect in each round. */
const MAX_ROUNDS = 20;

/** The current deployment of a workflow. */
type Current = { workflow: store.Workflow; steps: Steps };

/** The next deployment. */
type Next = { name: string; active: boolean; trigger: WorkflowTrigger; steps: Steps };

/**
 * The user and the deployment; `restoredFrom`: the version whose definition becomes a new version, even if it is equal.
 */
type Redeployment = { id: Id<"workflow">; by: ActorId | null; restoredFrom?: number };

/**
 * Redeploy a workflow. `nextOf` is called again if another caller deployed it meanwhile. The row of the workflow and
 * its new version are one transaction; after a crash the sweep sends the deployment to the object.
 */
export async function redeploy(
  ctx: AppContext,
  { id, by, restoredFrom }: Redeployment,
  nextOf: (current: Current) => Promise<Next>,
): Promise<store.Workflow> {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const current = await currentOf(ctx, id);
    const { steps, ...next } = await nextOf(current);
    refuseTooLarge(steps.shown);
    const { workflow } = current;
    const isNew = restoredFrom !== undefined || (await isChanged(ctx, current, { ...next, steps }));
    const at = ctx.now();
    const change = {
      ...next,
      deploymentId: newId("deployment"),
      // Its object ignores earlier times; those of a restored database may be in the past.
      deployedMs: Math.max(workflow.deployedMs + 1, at * 1000),
      version: workflow.version + (isNew ? 1 : 0),
      steps: steps.shown,
      updatedAt: at,
    };
    const plan = await planFor(ctx, workflow.ownerId);
    const deployed = { ...workflow, ...change };
    const deployment = deploymentOf(ctx, deployed, { plan, steps: steps.planned });
    await provideScripts(ctx, deployment);
    const hashes = hashesOf(steps);
    const version = { userId: by, restoredFrom: restoredFrom ?? null, hashes };
    const recorded = isNew ? { ...version, plan: storedPlan(steps.planned) } : undefined;
    const updated = await store.updateWorkflow(ctx.db, workflow, change, { hashes, recorded });
    if (!updated) continue;
    await ctx.workflows(id).deploy(deployment, next.active);
    return updated;
  }
  throw new RequestError("conflict", `${id} is being deployed by others; try again`);
}

async function isChanged(
  ctx: AppContext,
  { workflow, steps }: Current,
  next: Next,
): Promise<boolean> {
  if (next.name !== workflow.name) return true;
  if (JSON.stringify(next.trigger) !== JSON.stringify(workflow.trigger)) return true;
  return next.steps !== steps && !(await areSameSteps(ctx, workflow.ownerId, [steps, next.steps]));
}

async function currentOf(
  ctx: Pick<AppContext, "db" | "workflows">,
  id: Id<"workflow">,
): Promise<Current> {
  const found = await workflowWithPlan(ctx.db, id);
  if (!found) throw notFound("workflow", id);
  const { workflow } = found;
  const plan = found.plan ?? (await planInObject(ctx, workflow));
  return { workflow, steps: { planned: plannedSteps(plan), shown: workflow.steps } };
}

/** The plan of a deployment by an older release: only the object has it until it is recorded here. */
async function planInObject(
  ctx: Pick<AppContext, "db" | "workflows">,
  workflow: store.Workflow,
): Promise<Plan> {
  const text = await ctx.workflows(workflow.id).current();
  if (text === null) throw new Error(`${workflow.id} is listed, but its object is empty`);
  const { id, steps } = fromJson(text);
  const plan = storedPlan(steps);
  const hashes = hashesOf({ planned: steps, shown: workflow.steps });
  if (id === workflow.deploymentId) await insertPlan(ctx.db, workflow, { plan, hashes });
  return plan;
}

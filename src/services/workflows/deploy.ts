import { ownerExists } from "#db/owners.ts";
import { RoutesChange } from "#db/routes-change.ts";
import * as store from "#db/workflows.ts";
import { invalidInput } from "#domain/errors.ts";
import { type ActorId, type Id, newId, type OwnerId } from "#domain/ids.ts";

import { planFor } from "../access.ts";
import type { AppContext } from "../context.ts";
import { createEndpointKey } from "../endpoint-keys.ts";
import { deploymentOf, provideScripts, refuseTooLarge } from "./deployment.ts";
import { forgetWorkflow } from "./forget.ts";
import { hashesOf, type Steps, storedPlan } from "./plans.ts";
import { redeploy } from "./redeploy.ts";
import { prepareStep, type StepInput } from "./steps.ts";
import { type TriggerInput, triggerOf } from "./triggers.ts";

export type WorkflowInput = {
  ownerId: OwnerId;
  /** The user who deploys it; null: the operator. */
  by: ActorId | null;
  name: string;
  trigger: TriggerInput;
  steps: StepInput[];
  active: boolean;
};

/** The changes of a workflow. Absent: unchanged. */
export type WorkflowChange = {
  [K in keyof Omit<WorkflowInput, "by" | "ownerId">]?: WorkflowInput[K] | undefined;
};

/** Deploy a new workflow. Refuses steps that do not bundle, evaluate, configure or compile; then nothing is stored. */
export async function createWorkflow(
  ctx: AppContext,
  { ownerId, by, name, trigger: given, steps: inputs, active }: WorkflowInput,
): Promise<store.Workflow> {
  if (!(await ownerExists(ctx.db, ownerId)))
    throw invalidInput([{ path: "owner_id", message: "there is no such user or workspace" }]);
  const id = newId("workflow");
  const trigger = triggerOf(given, await createEndpointKey(ctx, id));
  const steps = await prepareSteps(ctx, ownerId, inputs);
  const plan = await planFor(ctx, ownerId);
  refuseTooLarge(steps.shown);
  const at = ctx.now();
  const deployed = { deploymentId: newId("deployment"), deployedMs: at * 1000 };
  const row = { id, ownerId, name, trigger, ...deployed };
  const deployment = deploymentOf(ctx, { ...row, version: 1 }, { plan, steps: steps.planned });
  await provideScripts(ctx, deployment);
  const workflow = await store.insertWorkflow(
    RoutesChange.ofNewEmitter(ctx.db),
    { ...row, active, steps: steps.shown, createdAt: at, updatedAt: at },
    {
      userId: by,
      restoredFrom: null,
      plan: storedPlan(steps.planned),
      hashes: hashesOf(steps),
    },
  );
  try {
    await ctx.workflows(id).deploy(deployment, active);
  } catch (error) {
    await forgetWorkflow(ctx, workflow);
    throw error;
  }
  return workflow;
}

/**
 * Redeploy a workflow: as a new version if its definition changes. Runs in flight finish on the version that they began
 * with.
 */
export function updateWorkflow(
  ctx: AppContext,
  { id, by, ...change }: WorkflowChange & { id: Id<"workflow">; by: ActorId | null },
): Promise<store.Workflow> {
  let prepared: Promise<Steps> | undefined;
  return redeploy(ctx, { id, by }, async ({ workflow, steps }) => {
    const { trigger } = workflow;
    if (change.steps) prepared ??= prepareSteps(ctx, workflow.ownerId, change.steps);
    return {
      name: change.name ?? workflow.name,
      active: change.active ?? workflow.active,
      trigger: change.trigger ? triggerOf(change.trigger, trigger.endpointKey) : trigger,
      steps: (await prepared) ?? steps,
    };
  });
}

async function prepareSteps(
  ctx: AppContext,
  owner: OwnerId,
  inputs: readonly StepInput[],
): Promise<Steps> {
  const steps = [];
  for (const input of inputs) steps.push(await prepareStep(ctx, owner, input));
  return { planned: steps.map(({ planned }) => planned), shown: steps.map(({ shown }) => shown) };
}

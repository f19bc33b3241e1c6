import { ownerExists } from "#db/owners.ts";
import { listNextCode } from "#db/workflow-code.ts";
import * as store from "#db/workflows.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { type Id, newId, type OwnerId } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import { fitsBytes } from "#domain/row-size.ts";
import { scheduleOf } from "#domain/schedule.ts";
import type { WorkflowStep, WorkflowTrigger } from "#domain/workflows.ts";
import type { PlannedStep, WorkflowDeployment } from "#durable-objects/workflow/contract.ts";
import type { Plan } from "#sandbox/worker-loader.ts";

import { planFor } from "../access.ts";
import type { AppContext } from "../context.ts";
import { provideScript } from "../scripts.ts";
import { prepareStep, type StepInput } from "./steps.ts";
import { type TriggerInput, triggerOf } from "./triggers.ts";

/** A deployment has to fit a row of storage. */
const MAX_DEPLOYMENT_BYTES = 1_500_000;

export type WorkflowInput = {
  ownerId: OwnerId;
  name: string;
  trigger: TriggerInput;
  steps: StepInput[];
  active: boolean;
};

/** What of a workflow changes; what is absent stays. */
export type WorkflowChange = {
  [K in keyof Omit<WorkflowInput, "ownerId">]?: WorkflowInput[K] | undefined;
};

/** Deploy a new workflow. Refuses what does not bundle, evaluate, configure or compile; then nothing of it stays. */
export async function createWorkflow(
  ctx: AppContext,
  { ownerId, name, trigger: given, steps: inputs, active }: WorkflowInput,
): Promise<store.Workflow> {
  if (!(await ownerExists(ctx.db, ownerId)))
    throw invalidInput([{ path: "owner_id", message: "there is no such user or workspace" }]);
  const id = newId("workflow");
  const trigger = triggerOf(id, given);
  const steps = await prepareSteps(ctx, ownerId, inputs);
  const plan = await planFor(ctx, ownerId);
  refuseTooLarge(steps.shown);
  const deployment = deploymentOf(ctx, { id, ownerId, plan, name }, trigger, steps.planned);
  await provideScripts(ctx, deployment);
  const at = ctx.now();
  const row = { id, ownerId, deploymentId: deployment.id, name, active, trigger };
  const workflow = await store.insertWorkflow(
    ctx.db,
    { ...row, steps: steps.shown, createdAt: at, updatedAt: at },
    hashesOf(steps),
  );
  try {
    await ctx.workflows(id).deploy(deployment, active);
  } catch (error) {
    await store.deleteWorkflow(ctx.db, workflow);
    throw error;
  }
  return workflow;
}

/** Deploy a new version of a workflow. Runs in flight finish on the one they began with. */
export async function updateWorkflow(
  ctx: AppContext,
  id: Id<"workflow">,
  change: WorkflowChange,
): Promise<store.Workflow> {
  const workflow = await store.workflowById(ctx.db, undefined, id);
  if (!workflow) throw notFound("workflow", id);
  const { ownerId } = workflow;
  const name = change.name ?? workflow.name;
  const active = change.active ?? workflow.active;
  const trigger = change.trigger
    ? triggerOf(id, change.trigger, workflow.trigger.endpointKey)
    : workflow.trigger;
  const steps = change.steps
    ? await prepareSteps(ctx, ownerId, change.steps)
    : { planned: await plannedSteps(ctx, id), shown: workflow.steps };
  const plan = await planFor(ctx, ownerId);
  refuseTooLarge(steps.shown);
  const deployment = deploymentOf(ctx, { id, ownerId, plan, name }, trigger, steps.planned);
  await provideScripts(ctx, deployment);
  const code = { id: deployment.id, hashes: hashesOf(steps) };
  await listNextCode(ctx.db, workflow, code, ctx.now());
  await ctx.workflows(id).deploy(deployment, active);
  const updated = await store.updateWorkflow(ctx.db, id, {
    deploymentId: deployment.id,
    name,
    active,
    trigger,
    steps: steps.shown,
    updatedAt: ctx.now(),
  });
  if (!updated) throw notFound("workflow", id);
  return updated;
}

type Steps = { planned: PlannedStep[]; shown: WorkflowStep[] };

/** The hashes of all that steps are made of: their bundles, and the code that came with them. */
function hashesOf({ planned, shown }: Steps): string[] {
  return [
    ...planned.map(({ bundleHash }) => bundleHash),
    ...shown.flatMap(({ codeHash }) => codeHash ?? []),
  ];
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

/** The steps as they run now: only the workflow's object has the values of secret props. */
async function plannedSteps(
  ctx: Pick<AppContext, "workflows">,
  id: Id<"workflow">,
): Promise<PlannedStep[]> {
  const text = await ctx.workflows(id).current();
  if (text === null) throw new Error(`${id} is listed, but its object holds nothing`);
  return fromJson(text).steps;
}

/** Have the code of steps where it is going to run; that of steps with expressions goes through the loader. */
async function provideScripts(
  ctx: Pick<AppContext, "scripts">,
  { ownerId, steps }: WorkflowDeployment,
): Promise<void> {
  const scripts = steps.filter(({ expressions }) => expressions === null);
  for (const script of scripts) await provideScript(ctx, ownerId, script);
}

function deploymentOf(
  { origin }: Pick<AppContext, "origin">,
  workflow: { id: Id<"workflow">; ownerId: OwnerId; plan: Plan | undefined; name: string },
  { type, endpointKey, schedule }: WorkflowTrigger,
  steps: PlannedStep[],
): WorkflowDeployment {
  const { id: workflowId, ownerId, plan, name } = workflow;
  const deployment = {
    id: newId("deployment"),
    workflowId,
    ownerId,
    ...(plan && { plan }),
    name,
    endpointKey: type === "http" ? endpointKey : null,
    schedule: scheduleOf(schedule) ?? null,
    steps,
    origin,
  };
  refuseTooLarge(deployment);
  return deployment;
}

function refuseTooLarge(stored: unknown): void {
  if (!fitsBytes(JSON.stringify(stored), MAX_DEPLOYMENT_BYTES))
    throw invalidInput([{ path: "steps", message: "all props together must be at most 1.5 MB" }]);
}

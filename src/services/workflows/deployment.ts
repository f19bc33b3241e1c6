import type { Workflow } from "#db/workflows.ts";
import { invalidInput } from "#domain/errors.ts";
import { fitsBytes } from "#domain/row-size.ts";
import { scheduleOf } from "#domain/schedule.ts";
import type { PlannedStep, WorkflowDeployment } from "#durable-objects/workflow/contract.ts";
import type { Plan } from "#sandbox/worker-loader.ts";

import type { AppContext } from "../context.ts";
import { provideScript } from "../scripts.ts";

/** A deployment must fit into a row of storage. */
const MAX_DEPLOYMENT_BYTES = 1_500_000;

/** The fields of a workflow's row that its deployment needs. */
type Deployed = Pick<
  Workflow,
  "id" | "ownerId" | "deploymentId" | "deployedMs" | "version" | "name" | "trigger"
>;

/** The deployment in a row of a workflow. */
export function deploymentOf(
  { origin }: Pick<AppContext, "origin">,
  { trigger: { type, endpointKey, schedule }, ...workflow }: Deployed,
  { plan, steps }: { plan: Plan | undefined; steps: PlannedStep[] },
): WorkflowDeployment {
  const deployment = {
    id: workflow.deploymentId,
    workflowId: workflow.id,
    ownerId: workflow.ownerId,
    version: workflow.version,
    deployedMs: workflow.deployedMs,
    ...(plan && { plan }),
    name: workflow.name,
    endpointKey: type === "http" ? endpointKey : null,
    schedule: scheduleOf(schedule) ?? null,
    steps,
    origin,
  };
  refuseTooLarge(deployment);
  return deployment;
}

/** Prepare the code of steps at the place where it will run; steps with expressions run through the loader. */
export async function provideScripts(
  ctx: Pick<AppContext, "scripts">,
  { ownerId, steps }: WorkflowDeployment,
): Promise<void> {
  const scripts = steps.filter(({ expressions }) => expressions === null);
  for (const script of scripts) await provideScript(ctx, ownerId, script);
}

export function refuseTooLarge(stored: unknown): void {
  if (!fitsBytes(JSON.stringify(stored), MAX_DEPLOYMENT_BYTES))
    throw invalidInput([{ path: "steps", message: "all props together must be at most 1.5 MB" }]);
}

import { placeOfStep, rewrapSealed } from "#vault/secret-props.ts";
import type { Vault } from "#vault/vault.ts";

import type { PlannedStep, WorkflowDeployment } from "./contract.ts";
import type { Deployments } from "./deployments.ts";

/** Rewrap the secrets of every version of a workflow with the current master key; a version never changes otherwise. */
export async function rewrapWorkflow(deployments: Deployments, vault: Vault): Promise<void> {
  for (const deployment of deployments.all()) {
    const steps = await Promise.all(
      deployment.steps.map((step) => rewrapped(step, deployment, vault)),
    );
    if (steps.some((step, index) => step !== deployment.steps[index]))
      deployments.reseal({ ...deployment, steps });
  }
}

/** The step itself if there is nothing to do. */
async function rewrapped(
  step: PlannedStep,
  { ownerId }: WorkflowDeployment,
  vault: Vault,
): Promise<PlannedStep> {
  const place = placeOfStep(ownerId, step.name);
  const sealed = await rewrapSealed(vault, place, step.sealed ?? {});
  return sealed === undefined ? step : { ...step, sealed };
}

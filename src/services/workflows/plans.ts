import type { Plan } from "#db/workflow-versions.ts";
import type { OwnerId } from "#domain/ids.ts";
import type { WorkflowStep } from "#domain/workflows.ts";
import type { PlannedStep } from "#durable-objects/workflow/contract.ts";
import { openSecrets, placeOfStep } from "#vault/secret-props.ts";

import type { AppContext } from "../context.ts";

/** The steps of a workflow, as they run and as they are shown. */
export type Steps = { planned: PlannedStep[]; shown: WorkflowStep[] };

/** Secrets by step and prop, each sealed. */
export type SealedSteps = Record<string, Record<string, string>>;

/** Steps as they run, in the form of D1. Secrets are separate, so that another master key can wrap them alone. */
export function storedPlan(steps: readonly PlannedStep[]): Plan {
  const secrets = steps.flatMap(({ name, sealed = {} }) =>
    Object.keys(sealed).length === 0 ? [] : [[name, sealed] as const],
  );
  return {
    steps: JSON.stringify(steps.map((step) => ({ ...step, sealed: undefined }))),
    sealed: secrets.length === 0 ? null : JSON.stringify(Object.fromEntries(secrets)),
  };
}

/** The inverse of `storedPlan`. */
export function plannedSteps({ steps, sealed }: Plan): PlannedStep[] {
  const planned: PlannedStep[] = JSON.parse(steps);
  const secrets: SealedSteps = JSON.parse(sealed ?? "{}");
  return planned.map((step) => ({ ...step, sealed: secrets[step.name] ?? {} }));
}

/** The hashes of the code of steps: their bundles and their original code. */
export function hashesOf({ planned, shown }: Steps): string[] {
  return [
    ...planned.map(({ bundleHash }) => bundleHash),
    ...shown.flatMap(({ codeHash }) => codeHash ?? []),
  ];
}

/** Whether steps have the same definition, the same code and the same secrets. */
export async function areSameSteps(
  ctx: Pick<AppContext, "vault">,
  owner: OwnerId,
  [one, other]: [Steps, Steps],
): Promise<boolean> {
  if (JSON.stringify(one.shown) !== JSON.stringify(other.shown)) return false;
  if (withoutSecrets(one) !== withoutSecrets(other)) return false;
  const [secrets, others] = await Promise.all(
    [one, other].map((steps) => secretsOf(ctx, owner, steps)),
  );
  return secrets !== undefined && secrets === others;
}

/** The parts of planned steps that affect runs: labels, for example, do not. */
function withoutSecrets({ planned }: Steps): string {
  return JSON.stringify(
    planned.map((step) => [
      step.name,
      step.bundleHash,
      step.props,
      step.additional,
      step.values,
      step.expressions,
      step.retries,
      step.namesRespond,
    ]),
  );
}

/** All secrets as JSON text; undefined if the key that sealed them was retired, so that others can replace them. */
async function secretsOf(
  { vault }: Pick<AppContext, "vault">,
  owner: OwnerId,
  { planned }: Steps,
): Promise<string | undefined> {
  try {
    const opened = planned.map(({ name, sealed = {} }) =>
      openSecrets(vault, placeOfStep(owner, name), sealed),
    );
    return JSON.stringify(await Promise.all(opened));
  } catch {
    return undefined;
  }
}

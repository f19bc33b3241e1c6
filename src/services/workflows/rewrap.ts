import { resealPlan, type SealedPlan, sealedPlans } from "#db/workflow-versions.ts";
import type { Id } from "#domain/ids.ts";
import { placeOfStep, rewrapSealed } from "#vault/secret-props.ts";

import type { AppContext } from "../context.ts";
import type { SealedSteps } from "./plans.ts";

/** Maximum versions that are read at once: each may have secrets of a megabyte. */
const VERSIONS_AT_ONCE = 4;

/** Rewrap the secrets of all versions of a workflow with the current master key. False: some were changed meanwhile. */
export async function rewrapWorkflow(
  ctx: Pick<AppContext, "db" | "vault" | "workflows">,
  id: Id<"workflow">,
): Promise<boolean> {
  let isDone = await ctx.workflows(id).rewrap();
  for (let after: number | undefined = 0; after !== undefined;) {
    const plans: SealedPlan[] = await sealedPlans(ctx.db, id, { after, limit: VERSIONS_AT_ONCE });
    for (const plan of plans) if (!(await rewrapPlan(ctx, id, plan))) isDone = false;
    after = plans.at(-1)?.version;
  }
  return isDone;
}

async function rewrapPlan(
  { db, vault }: Pick<AppContext, "db" | "vault">,
  id: Id<"workflow">,
  { ownerId, version, sealed }: SealedPlan,
): Promise<boolean> {
  const steps: SealedSteps = JSON.parse(sealed);
  const renewed = { ...steps };
  for (const [step, secrets] of Object.entries(steps)) {
    const again = await rewrapSealed(vault, placeOfStep(ownerId, step), secrets);
    if (again) renewed[step] = again;
  }
  const text = JSON.stringify(renewed);
  return text === sealed || resealPlan(db, { id, version, sealed }, text);
}

import { keysOfListener } from "#db/routes.ts";
import { deleteWorkflow, type Workflow } from "#db/workflows.ts";

import { changingRoutes, type RoutesContext } from "../routes.ts";

/** Delete the row of a workflow whose object was erased, and its subscriptions, as emitter and as listener. */
export async function forgetWorkflow(
  ctx: RoutesContext,
  workflow: Pick<Workflow, "id" | "ownerId">,
): Promise<void> {
  const { id, ownerId } = workflow;
  await ctx.owners(ownerId).reportStoredBytes(ownerId, id, 0);
  const keys = await keysOfListener(ctx.db, id);
  await changingRoutes(ctx, [...keys, { ownerId, emitterId: id }], (change) =>
    deleteWorkflow(change, workflow),
  );
}

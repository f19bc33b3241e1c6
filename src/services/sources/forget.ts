import { keysOfListener } from "#db/routes.ts";
import { deleteSource } from "#db/source-changes.ts";
import type { Source } from "#db/sources.ts";

import { changingRoutes, type RoutesContext } from "../routes.ts";

/** Delete the row of a source whose object was erased, and its subscriptions, as emitter and as listener. */
export async function forgetSource(
  ctx: RoutesContext,
  source: Pick<Source, "id" | "ownerId">,
): Promise<void> {
  const { id, ownerId } = source;
  await ctx.owners(ownerId).reportStoredBytes(ownerId, id, 0);
  const keys = await keysOfListener(ctx.db, id);
  await changingRoutes(ctx, [...keys, { ownerId, emitterId: id }], (change) =>
    deleteSource(change, source),
  );
}

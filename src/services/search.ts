import { type Found, resourcesWith } from "#db/search.ts";
import type { Id } from "#domain/ids.ts";

import { requireMember } from "./access.ts";
import type { Context } from "./context.ts";

export { type Found, FOUND_TYPES } from "#db/search.ts";

/** Resources of a workspace, or of all that the actor may see, with a text in their name or id. */
export async function search(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  request: { text: string; limit: number; workspace: Id<"workspace"> | undefined },
): Promise<Found[]> {
  const { workspace } = request;
  if (workspace !== undefined) await requireMember(ctx, workspace);
  const whose = workspace === undefined ? { user: ctx.actor.id } : { owner: workspace };
  return resourcesWith(ctx.db, whose, request);
}

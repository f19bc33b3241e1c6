import { isMemberOf } from "../db/workspaces.ts";
import { notFound } from "../domain/errors.ts";
import type { Id, OwnerId } from "../domain/ids.ts";
import type { Context } from "./context.ts";

/** Who will own what the actor creates: the workspace that is named, which the actor must belong to, else the actor. */
export async function ownerFor(ctx: Context, workspace?: Id<"workspace">): Promise<OwnerId> {
  if (workspace === undefined) return ctx.actor.id;
  if (!(await isMemberOf(ctx.db, workspace, ctx.actor.id))) throw notFound("workspace", workspace);
  return workspace;
}

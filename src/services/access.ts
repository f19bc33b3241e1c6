import { termsOf } from "#db/owners.ts";
import { isMemberOf } from "#db/workspaces.ts";
import { notFound } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import type { Actor, AppContext, Context } from "./context.ts";

/**
 * The owner of a resource that the actor creates: the named workspace, which the actor must belong to, else the actor.
 */
export async function ownerFor(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  workspace?: Id<"workspace">,
): Promise<OwnerId> {
  if (workspace === undefined) return ctx.actor.id;
  await requireMember(ctx, workspace);
  return workspace;
}

/** The plan of an owner: that of the actor is known. */
export async function planFor(
  { actor, db }: Pick<AppContext, "db"> & { readonly actor?: Actor },
  owner: OwnerId,
): Promise<"free" | "paid" | "legacy" | undefined> {
  return owner === actor?.id ? actor.plan : (await termsOf(db, owner))?.plan;
}

/** Refuse an actor who does not belong to a workspace. The workspace of the request was looked up with its key. */
export async function requireMember(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  workspace: Id<"workspace">,
): Promise<void> {
  if (ctx.workspace === workspace) return;
  if (!(await isMemberOf(ctx.db, workspace, ctx.actor.id))) throw notFound("workspace", workspace);
}

import { claimForDeletion } from "#db/source-changes.ts";
import { notFound } from "#domain/errors.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import type { Context } from "../context.ts";
import { forgetSource } from "./forget.ts";
import { busy, CHANGE_LASTS_SECONDS } from "./update.ts";

type DeletionContext = Pick<Context, "db" | "now" | "owners" | "requestId" | "sources"> & {
  /** The user who deletes it, or its owner. */
  readonly actor: { readonly id: OwnerId };
};

/** Delete a source: hidden at once, then its `deactivate` hook runs, then its data is deleted. */
export async function deleteSource(ctx: DeletionContext, id: Id<"source">): Promise<void> {
  const at = ctx.now();
  const staleBefore = at - CHANGE_LASTS_SECONDS;
  const claimed = await claimForDeletion(ctx.db, ctx.actor.id, { id, at, staleBefore });
  if (claimed === "missing") throw notFound("source", id);
  if (claimed === "busy") throw busy(id);
  await ctx.sources(id).remove(ctx.requestId);
  await forgetSource(ctx, claimed);
}

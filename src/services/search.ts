import type { Found } from "#db/found.ts";
import { resourcesWith } from "#db/search.ts";
import type { Id } from "#domain/ids.ts";

import { requireMember } from "./access.ts";
import type { UserContext } from "./context.ts";
import { type UsageContext, writeKeptUsage, writeKeptUsageOfActor } from "./kept-usage.ts";
import { isRecordId, recordsWith } from "./search-records.ts";

export { type Found, FOUND_TYPES } from "#db/found.ts";

type SearchContext = UsageContext &
  Pick<
    UserContext,
    "actor" | "now" | "sources" | "webhooks" | "workflows" | "workspace" | "workspaces"
  >;

/**
 * Resources of a workspace, or all that the actor may see, with a text in their name or id; first the events, runs and
 * deliveries with this id.
 */
export async function search(
  ctx: SearchContext,
  request: { text: string; limit: number; workspace: Id<"workspace"> | undefined },
): Promise<Found[]> {
  const { workspace, text, limit } = request;
  if (workspace !== undefined) await requireMember(ctx, workspace);
  const whose = workspace === undefined ? { user: ctx.actor.id } : { owner: workspace };
  const resources = await resourcesWith(ctx.db, whose, request);
  if (!isRecordId(text)) return resources;
  // The usage shows which emitters were active when an event was emitted.
  if (workspace === undefined) await writeKeptUsageOfActor(ctx);
  else await writeKeptUsage(ctx, [workspace]);
  return [...(await recordsWith(ctx, whose, text)), ...resources].slice(0, limit);
}

import type { Found } from "#db/found.ts";
import { resourcesWith } from "#db/search.ts";
import type { Id } from "#domain/ids.ts";

import { requireMember } from "./access.ts";
import type { UserContext } from "./context.ts";
import { type UsageContext, writeKeptUsage, writeKeptUsageOfActor } from "./kept-usage.ts";
import { isRecordId, recordsWith } from "./search-records.ts";

export { FOUND_TYPES } from "#db/found.ts";

type SearchContext = UsageContext &
  Pick<
    UserContext,
    "actor" | "now" | "sources" | "webhooks" | "workflows" | "workspace" | "workspaces"
  >;

/** `nextOffset`: the number of objects that were queried for a record of this id, if there are others. */
type SearchResult = { found: Found[]; nextOffset: number | null };

/**
 * Resources of a workspace, or all that the actor may see, with a text in their name or id; first the events, runs and
 * deliveries with this id. With an offset, only these, from further objects.
 */
export async function search(
  ctx: SearchContext,
  request: {
    text: string;
    limit: number;
    offset: number;
    workspace: Id<"workspace"> | undefined;
  },
): Promise<SearchResult> {
  const { workspace, text, limit, offset } = request;
  if (workspace !== undefined) await requireMember(ctx, workspace);
  const whose = workspace === undefined ? { user: ctx.actor.id } : { owner: workspace };
  const resources = offset === 0 ? await resourcesWith(ctx.db, whose, request) : [];
  if (!isRecordId(text)) return { found: resources, nextOffset: null };
  // The usage shows which emitters were active when an event was emitted.
  if (workspace === undefined) await writeKeptUsageOfActor(ctx);
  else await writeKeptUsage(ctx, [workspace]);
  const { records, nextOffset } = await recordsWith(ctx, whose, { id: text, offset });
  return { found: [...records, ...resources].slice(0, limit), nextOffset };
}

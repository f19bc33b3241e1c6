import * as store from "#db/agent-sources.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import { forgetTrigger } from "../../connect/triggers.ts";
import type { AppContext } from "../../context.ts";
import { runPage } from "../../maintenance/paged-task.ts";
import type { RoutesContext } from "../../routes.ts";
import { deleteSource } from "../../sources/delete.ts";
import { forgetSource } from "../../sources/forget.ts";

export type EndSourceContext = Pick<AppContext, "now" | "sources" | "webhooks"> & RoutesContext;

/** Maximum sources that one sweep deletes, and others that it checks. The next sweep follows in a minute. */
const ENDED_A_SWEEP = 20;
const ROWS_A_SWEEP = 500;

/** Seconds until a source without any subscription is deleted: its request crashed. */
const IDLE_SECONDS = 60;

type Released = { sourceId: Id<"source">; ownerId: OwnerId };

/** Delete a source that was deployed for agents if it has no subscription and no poll. Other sources stay. */
export async function releaseSource(
  ctx: EndSourceContext,
  source: Id<"source">,
  claimedBefore?: number,
): Promise<boolean> {
  const released = await store.releaseAgentSource(ctx.db, source, {
    now: ctx.now(),
    claimedBefore,
  });
  return released ? endAgentSource(ctx, released) : false;
}

/** Delete an ended source in any state of its deployment. A failure is logged, and the sweep retries. */
export async function endAgentSource(ctx: EndSourceContext, released: Released): Promise<boolean> {
  try {
    await deleteAll(ctx, released);
    return true;
  } catch (error) {
    const { requestId: request_id } = ctx;
    log("object_unremoved", { request_id, subject_id: released.sourceId, error });
    return false;
  }
}

/** Delete unused sources of agents, leftovers of crashes included. Returns their number. */
export async function endAgentSources(ctx: EndSourceContext): Promise<number> {
  let ended = 0;
  for (const released of await store.releasedAgentSources(ctx.db, ENDED_A_SWEEP))
    if (await endAgentSource(ctx, released)) ended += 1;
  ended += await runPage(ctx, {
    name: "agent_sources",
    intervalSeconds: 60,
    page: (position) => endIdle(ctx, Number(position)),
  });
  return ended;
}

async function endIdle(
  ctx: EndSourceContext,
  after: number,
): Promise<{ done: number; next: string | null }> {
  const stretch = { after, length: ROWS_A_SWEEP };
  const { idle, last } = await store.idleAgentSources(ctx.db, stretch);
  let done = 0;
  for (const source of idle)
    if (await releaseSource(ctx, source, ctx.now() - IDLE_SECONDS)) done += 1;
  return { done, next: last === null ? null : String(last) };
}

async function deleteAll(
  ctx: EndSourceContext,
  { sourceId: id, ownerId }: Released,
): Promise<void> {
  const source = await store.sourceInAnyState(ctx.db, id);
  if (source?.state === "live") {
    await deleteSource({ ...ctx, actor: { id: ownerId } }, id);
  } else if (source) {
    // Its deployment or its deletion was interrupted.
    await ctx.sources(id).remove(ctx.requestId);
    await forgetSource(ctx, source);
  }
  // An external user's is one of the project's triggers, too.
  await forgetTrigger(ctx, { sourceId: id, webhookId: null });
  await store.deleteAgentSource(ctx.db, id);
}

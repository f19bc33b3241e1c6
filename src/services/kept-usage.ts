import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext, UserContext } from "./context.ts";

/** The context of reading usage: objects of owners keep the part that is not in D1 yet. */
export type UsageContext = Pick<AppContext, "db" | "owners" | "requestId">;

/**
 * Write usage that the objects of owners keep to D1, before it is read from there. If that fails, the figures lack some
 * of it.
 */
export async function writeKeptUsage(
  { owners, requestId: request_id }: Omit<UsageContext, "db">,
  ids: readonly OwnerId[],
): Promise<void> {
  const results = await Promise.allSettled(ids.map((id) => owners(id).flushUsage()));
  for (const [index, result] of results.entries())
    if (result.status === "rejected")
      log("usage_unreported", { request_id, owner_id: ids[index], error: result.reason });
}

/** The same for the actor and the actor's workspaces. */
export async function writeKeptUsageOfActor(
  ctx: Omit<UsageContext, "db"> & Pick<UserContext, "actor" | "workspaces">,
): Promise<void> {
  await writeKeptUsage(ctx, [ctx.actor.id, ...ctx.workspaces]);
}

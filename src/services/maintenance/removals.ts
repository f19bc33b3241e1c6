import { forgetRemoval, oldestRemovals } from "#db/removals.ts";
import { isId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";

/** Maximum objects that one sweep erases. The next one is a minute away. */
const REMOVALS_A_SWEEP = 50;

/** Erase the objects of deleted resources after a crash during the deletion. */
export async function endRemovals(
  ctx: Pick<AppContext, "dataStores" | "db" | "requestId" | "webhooks">,
): Promise<number> {
  let removed = 0;
  for (const id of await oldestRemovals(ctx.db, REMOVALS_A_SWEEP)) {
    try {
      if (isId("webhook", id)) await ctx.webhooks(id).remove();
      if (isId("data_store", id)) await ctx.dataStores(id).remove();
      await forgetRemoval(ctx.db, id);
      removed += 1;
    } catch (error) {
      log("object_unremoved", { request_id: ctx.requestId, subject_id: id, error });
    }
  }
  return removed;
}

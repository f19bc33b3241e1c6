import {
  deleteOrphanedAutoSubscriptions,
  deleteOrphanedSubscriptions,
  type Stretch,
  type Trimmed,
} from "#db/orphans.ts";
import { DAY_SECONDS } from "#domain/billing.ts";

import type { AppContext } from "../context.ts";
import { changingRoutes, type RoutesContext } from "../routes.ts";
import { type PagedTask, runPage } from "./paged-task.ts";

/** Maximum rows that one sweep checks. */
const ROWS_A_SWEEP = 500;

/** Delete subscriptions without an emitter or a listener: those created while it was being deleted. */
export async function deleteOrphans(ctx: Pick<AppContext, "now"> & RoutesContext): Promise<number> {
  const tasks = [
    // They route nothing, so no route change has to be announced.
    pagedTask("subscriptions", (stretch) =>
      changingRoutes(ctx, [], (change) => deleteOrphanedSubscriptions(change, stretch)),
    ),
    pagedTask("auto_subscriptions", (stretch) => deleteOrphanedAutoSubscriptions(ctx.db, stretch)),
  ];
  let deleted = 0;
  for (const task of tasks) deleted += await runPage(ctx, task);
  return deleted;
}

function pagedTask(name: string, trim: (stretch: Stretch) => Promise<Trimmed>): PagedTask {
  return {
    name,
    intervalSeconds: DAY_SECONDS,
    async page(position) {
      const { deleted, last } = await trim({ after: Number(position), length: ROWS_A_SWEEP });
      return { done: deleted, next: last === null ? null : String(last) };
    },
  };
}

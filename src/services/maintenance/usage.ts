import {
  type Deleted,
  deleteEgress,
  deleteEmitterUsage,
  deleteOwnerUsage,
  type UsageStretch,
} from "#db/usage-retention.ts";
import { ACTIVITY_DAYS } from "#domain/activity.ts";
import { DAY_SECONDS, dayOf, OWNER_DAYS } from "#domain/billing.ts";

import type { AppContext } from "../context.ts";
import { type PagedTask, runPage } from "./paged-task.ts";

/** Maximum owners that one sweep checks. */
const OWNERS_A_SWEEP = 500;

/** Delete usage that is older than any report. */
export async function forgetUsage(ctx: Pick<AppContext, "db" | "now">): Promise<number> {
  const before = (days: number): string => dayOf(ctx.now() - days * DAY_SECONDS);
  const tasks = [
    pagedTask("usage", before(ACTIVITY_DAYS), (stretch) => deleteEmitterUsage(ctx.db, stretch)),
    pagedTask("owner_usage", before(OWNER_DAYS), (stretch) => deleteOwnerUsage(ctx.db, stretch)),
    pagedTask("egress_usage", before(OWNER_DAYS), (stretch) => deleteEgress(ctx.db, stretch)),
  ];
  let deleted = 0;
  for (const task of tasks) deleted += await runPage(ctx, task);
  return deleted;
}

function pagedTask(
  name: string,
  day: string,
  forget: (stretch: UsageStretch) => Promise<Deleted>,
): PagedTask {
  return {
    name,
    intervalSeconds: DAY_SECONDS,
    async page(after) {
      const { deleted, next } = await forget({ day, after, owners: OWNERS_A_SWEEP });
      return { done: deleted, next };
    },
  };
}

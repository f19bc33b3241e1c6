import {
  type Deleted,
  deleteEgress,
  deleteEmitterUsage,
  deleteOwnerUsage,
  ownersWithUsage,
  type UsageStretch,
} from "#db/usage-retention.ts";
import { ACTIVITY_DAYS } from "#domain/activity.ts";
import { DAY_SECONDS, dayOf, OWNER_DAYS } from "#domain/billing.ts";
import { atMost } from "#domain/concurrency.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import { type PagedTask, runPage } from "./paged-task.ts";

/** Maximum owners that one sweep checks. */
const OWNERS_A_SWEEP = 500;

/** Maximum objects of owners that one sweep calls: at most a few at a time. */
const OBJECTS_A_SWEEP = 100;
const AT_ONCE = 25;

/** Delete usage that is older than any report. */
export async function forgetUsage(ctx: UsageContext): Promise<number> {
  const before = (days: number): string => dayOf(ctx.now() - days * DAY_SECONDS);
  const tasks: PagedTask[] = [
    // First: afterwards D1 lists fewer owners.
    {
      name: "owner_reports",
      intervalSeconds: DAY_SECONDS,
      page: (after) => deleteOldTotals(ctx, after),
    },
    pagedTask("usage", before(ACTIVITY_DAYS), (stretch) => deleteEmitterUsage(ctx.db, stretch)),
    pagedTask("owner_usage", before(OWNER_DAYS), (stretch) => deleteOwnerUsage(ctx.db, stretch)),
    pagedTask("egress_usage", before(OWNER_DAYS), (stretch) => deleteEgress(ctx.db, stretch)),
  ];
  let deleted = 0;
  for (const task of tasks) deleted += await runPage(ctx, task);
  return deleted;
}

type UsageContext = Pick<AppContext, "db" | "now" | "owners" | "requestId">;

/** Delete old totals in the objects of owners. One that does not respond is called again the next day. */
async function deleteOldTotals(
  ctx: UsageContext,
  after: string,
): Promise<{ done: number; next: string | null }> {
  const ids = await ownersWithUsage(ctx.db, { after, owners: OBJECTS_A_SWEEP });
  const inTurn = atMost(AT_ONCE);
  const deleted = await Promise.all(
    ids.map((owner_id) =>
      inTurn(() => ctx.owners(owner_id).deleteOldTotals()).catch((error: unknown) => {
        log("owner_unswept", { request_id: ctx.requestId, owner_id, error });
        return 0;
      }),
    ),
  );
  const done = deleted.reduce((sum, count) => sum + count, 0);
  return { done, next: ids.length === OBJECTS_A_SWEEP ? (ids.at(-1) ?? null) : null };
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

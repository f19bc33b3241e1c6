import { ownerExists } from "#db/owners.ts";
import { quotaStateOf, usageByDay } from "#db/usage.ts";
import { DAY_SECONDS, dayOf, type DayUsage, OWNER_DAYS } from "#domain/billing.ts";
import { invalidInput, notFound } from "#domain/errors.ts";
import { isId, type PayerId } from "#domain/ids.ts";
import { NO_QUOTAS, type Quotas } from "#domain/quotas.ts";

import type { AppContext } from "./context.ts";
import { type UsageContext, writeKeptUsage } from "./kept-usage.ts";

/** The first and the last day of a query, `YYYY-MM-DD`; absent: the last 30 days. */
export type DayRange = { from?: string | undefined; to?: string | undefined };

const DEFAULT_DAYS = 30;

/** Usage of an owner on each day of a range, including days without any, oldest first. */
async function dailyUsage(
  ctx: Pick<AppContext, "now"> & UsageContext,
  owner: PayerId,
  { from, to = dayOf(ctx.now()) }: DayRange,
): Promise<DayUsage[]> {
  const last = secondsOf(to);
  const first = from === undefined ? last - (DEFAULT_DAYS - 1) * DAY_SECONDS : secondsOf(from);
  const count = (last - first) / DAY_SECONDS + 1;
  if (count < 1) throw invalidInput([{ path: "from", message: "must not be after to" }]);
  if (count > OWNER_DAYS)
    throw invalidInput([
      { path: "from", message: `must be less than ${OWNER_DAYS} days before to` },
    ]);
  const days = Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_SECONDS));
  await writeKeptUsage(ctx, [owner]);
  const found = await usageByDay(ctx.db, { owner }, { first: dayOf(first), last: dayOf(last) });
  const known = new Map(found.map((usage) => [usage.day, usage]));
  return days.map((day) => known.get(day) ?? { day, invocations: 0, computeMs: 0, credits: 0 });
}

/** Usage of an owner by day, the owner's current quotas, and the stored bytes. */
export async function usageAndQuotas(
  ctx: Pick<AppContext, "now"> & UsageContext,
  owner: PayerId,
  range: DayRange,
): Promise<{ days: DayUsage[]; quotas: Quotas; storedBytes: number }> {
  const [days, state, storedBytes] = await Promise.all([
    dailyUsage(ctx, owner, range),
    quotaStateOf(ctx.db, owner, dayOf(ctx.now())),
    ctx.owners(owner).storedBytes(),
  ]);
  return { days, quotas: state?.quotas ?? NO_QUOTAS, storedBytes };
}

/** Usage of a user or a workspace by day, for the operator. */
export async function usageOfOwner(
  ctx: Pick<AppContext, "now"> & UsageContext,
  owner: PayerId,
  range: DayRange,
): Promise<DayUsage[]> {
  if (!(await ownerExists(ctx.db, owner)))
    throw notFound(isId("user", owner) ? "user" : "workspace", owner);
  return dailyUsage(ctx, owner, range);
}

function secondsOf(day: string): number {
  return Date.parse(day) / 1000;
}

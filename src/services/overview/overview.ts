import { hoursOf, hoursQuery, type Whose } from "#db/activity.ts";
import {
  brokenAccountsQuery,
  countsQuery,
  failingQuery,
  inactiveWebhooksQuery,
  openAlertsQuery,
  quotasQuery,
  silentSourcesQuery,
} from "#db/attention.ts";
import {
  type Activity,
  type ActivityPoint,
  addActivity,
  everyHour,
  NO_ACTIVITY,
  spanOf,
} from "#domain/activity.ts";
import { DAY_SECONDS, dayOf } from "#domain/billing.ts";
import { notFound } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";

import { requireMember } from "../access.ts";
import type { UserContext } from "../context.ts";
import { type UsageContext, writeKeptUsage, writeKeptUsageOfActor } from "../kept-usage.ts";
import { kindOf, type LinkedId } from "../links.ts";
import { type Attention, attentionIn } from "./attention.ts";

export type { Activity } from "#domain/activity.ts";
export type { Attention } from "./attention.ts";

/** The activity in a span of hours, in total and by the hour. */
export type ActivitySpan = { from: number; to: number; series: ActivityPoint[]; totals: Activity };

/** The activity of an owner's sources, workflows and webhooks, and issues that need a person. */
export type Overview = ActivitySpan & {
  before: Activity;
  counts: { sources: number; workflows: number; webhooks: number; accounts: number };
  attention: Attention[];
};

/** Days before yesterday on which a source must have emitted to be reported as silent. */
const EMITTING_DAYS = 7;

/** An overview of a workspace, or of all that the actor may see. */
export async function getOverview(
  ctx: Pick<UserContext, "actor" | "now" | "workspace" | "workspaces"> & UsageContext,
  { hours, workspace }: { hours: number; workspace: Id<"workspace"> | undefined },
): Promise<Overview> {
  if (workspace !== undefined) await requireMember(ctx, workspace);
  const whose: Whose = workspace === undefined ? { user: ctx.actor.id } : { owner: workspace };
  if (workspace === undefined) await writeKeptUsageOfActor(ctx);
  else await writeKeptUsage(ctx, [workspace]);
  const now = ctx.now();
  const { from, to, before } = spanOf(now, hours);
  const yesterday = dayOf(now - DAY_SECONDS);
  const quiet = { from: dayOf(now - (EMITTING_DAYS + 1) * DAY_SECONDS), quietSince: yesterday };
  const { db } = ctx;
  const [points, alerts, webhooks, accounts, failing, silent, [counts], ...used] = await db.batch([
    hoursQuery(db, whose, { from: before, to }),
    openAlertsQuery(db, whose),
    inactiveWebhooksQuery(db, whose),
    brokenAccountsQuery(db, whose),
    failingQuery(db, whose, yesterday),
    silentSourcesQuery(db, whose, quiet),
    countsQuery(db, whose),
    ...quotasQuery(db, whose, dayOf(now)),
  ]);
  const earlier = points.filter(({ at }) => at < from);
  return {
    ...spanWith({ from, to }, points),
    before: totalOf(earlier),
    counts: counts ?? { sources: 0, workflows: 0, webhooks: 0, accounts: 0 },
    attention: attentionIn({ alerts, webhooks, accounts, failing, silent, used: used.flat() }),
  };
}

/** The activity of one source, workflow or webhook by the hour. */
export async function getActivity(
  ctx: Pick<UserContext, "actor" | "now" | "workspaces"> & UsageContext,
  id: LinkedId,
  hours: number,
): Promise<ActivitySpan> {
  await writeKeptUsageOfActor(ctx);
  const { from, to } = spanOf(ctx.now(), hours);
  const points = await hoursOf(ctx.db, { user: ctx.actor.id, id }, { from, to });
  if (!points) throw notFound(kindOf(id), id);
  return spanWith({ from, to }, points);
}

function spanWith(
  span: { from: number; to: number },
  points: readonly ActivityPoint[],
): ActivitySpan {
  const series = everyHour(span, points);
  return { ...span, series, totals: totalOf(series) };
}

function totalOf(points: readonly ActivityPoint[]): Activity {
  let total = NO_ACTIVITY;
  for (const point of points) total = addActivity(total, point);
  return total;
}

import { and, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";

import { type ActivityPoint, COUNTS } from "#domain/activity.ts";
import { type DayDeliveries, dayOf } from "#domain/billing.ts";
import type { ActorId, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { payerOf } from "./owners.ts";
import { type LinkedId, ownerOf, ownerQuery } from "./resources.ts";
import { externalUsers, projects } from "./schema/connect.ts";
import { memberships, usage, webhooks } from "./schema/tables.ts";

/** Whose resources: those of a user and of the user's workspaces, or of one owner. */
export type Whose = { user: ActorId } | { owner: OwnerId };

/** Of all, or of one resource alone, whoever owns it. */
type Which = Whose | { ownerOf: LinkedId };

/** A span of time, both ends in epoch seconds, the end exclusive. */
export type Span = { from: number; to: number };

/** For a condition: the owners that are asked about. Unlike `OR`, it lets an index on owner and time serve. */
export function ownersIn(whose: Which): SQL {
  if ("ownerOf" in whose) return ownerOf(whose.ownerOf);
  if ("owner" in whose) return sql`(${payerOf(whose.owner)})`;
  return sql`(SELECT ${whose.user} UNION ALL SELECT ${memberships.workspaceId} FROM ${memberships}
    WHERE ${memberships.userId} = ${whose.user})`;
}

/** For an expression: the begin of the hour `hour.key` of the row's day, epoch seconds. */
export const HOUR_AT = sql<number>`(unixepoch(${usage.day}) + hour.key * 3600)`;

/** For an expression: one of the counts of the hour. */
export function countOfHour(name: (typeof COUNTS)[number]): SQL<number> {
  return sql<number>`coalesce(hour.value ->> ${sql.raw(String(COUNTS.indexOf(name)))}, 0)`;
}

/** For a batch: what happened in each hour of a span, oldest first; hours in which nothing did are absent. */
export function hoursQuery(db: Database, which: Which, span: Span) {
  return db
    .select({
      at: HOUR_AT,
      runs: sum("runs"),
      failures: sum("failures"),
      events: sum("events"),
      deliveries: sum("deliveries"),
      failedDeliveries: sum("failedDeliveries"),
    })
    .from(sql`${usage}, json_each(${usage.hours}) AS hour`)
    .where(
      and(
        sql`${usage.ownerId} IN ${ownersIn(which)}`,
        ...isWithin(span),
        "ownerOf" in which ? eq(usage.emitterId, which.ownerOf) : undefined,
      ),
    )
    .groupBy(HOUR_AT)
    .orderBy(HOUR_AT);
}

/** The conditions of an hour of a span. The days come first: rows are found by them. */
export function isWithin({ from, to }: Span): (SQL | undefined)[] {
  return [
    gte(usage.day, dayOf(from)),
    lte(usage.day, dayOf(to - 1)),
    sql`${HOUR_AT} >= ${from}`,
    sql`${HOUR_AT} < ${to}`,
  ];
}

/** What a resource did in each hour of a span; undefined where the user may not see it. */
export async function hoursOf(
  db: Database,
  { user, id }: { user: ActorId; id: LinkedId },
  span: Span,
): Promise<ActivityPoint[] | undefined> {
  const [[found], points] = await db.batch([
    ownerQuery(db, user, id),
    hoursQuery(db, { ownerOf: id }, span),
  ]);
  return found && points;
}

/**
 * Write down how often a webhook sent so far. Totals that are no higher than the stored ones change nothing; those of a
 * webhook that was deleted are dropped.
 */
export async function recordDeliveries(
  db: Database,
  id: string,
  days: readonly DayDeliveries[],
): Promise<void> {
  const payer = sql`coalesce((SELECT ${projects.ownerId} FROM ${externalUsers}
    JOIN ${projects} ON ${projects.id} = ${externalUsers.projectId}
    WHERE ${externalUsers.id} = ${webhooks.ownerId}), ${webhooks.ownerId})`;
  await db
    .insert(usage)
    .select(
      sql`SELECT ${payer}, value ->> 'day', ${webhooks.id}, value ->> 'attempts', 0, 0, value -> 'hours'
        FROM json_each(${JSON.stringify(days)}) JOIN ${webhooks} ON ${webhooks.id} = ${id} WHERE true`,
    )
    .onConflictDoUpdate({
      target: [usage.ownerId, usage.day, usage.emitterId],
      set: { invocations: sql`excluded.invocations`, hours: sql`excluded.hours` },
      setWhere: sql`excluded.invocations > ${usage.invocations}`,
    });
}

/** A webhook of which attempts failed, and how many of how many. */
export type FailingWebhook = Pick<
  typeof webhooks.$inferSelect,
  "id" | "ownerId" | "name" | "url" | "active" | "inactiveReason"
> & { deliveries: number; failedDeliveries: number };

/** The webhooks of all owners of which attempts failed in a span, those with the most failures first. */
export function failingWebhooks(
  db: Database,
  span: Span,
  limit: number,
): Promise<FailingWebhook[]> {
  const { id, ownerId, name, url, active, inactiveReason } = webhooks;
  const [all, failed] = [sum("deliveries"), sum("failedDeliveries")];
  return db
    .select({
      id,
      ownerId,
      name,
      url,
      active,
      inactiveReason,
      deliveries: all,
      failedDeliveries: failed,
    })
    .from(webhooks)
    .innerJoin(sql`${usage}, json_each(${usage.hours}) AS hour`, eq(usage.emitterId, webhooks.id))
    .where(and(sql`substr(${usage.emitterId}, 1, 3) = 'wh_'`, ...isWithin(span)))
    .groupBy(webhooks.id)
    .having(sql`${failed} > 0`)
    .orderBy(desc(failed), webhooks.id)
    .limit(limit);
}

function sum(name: (typeof COUNTS)[number]): SQL<number> {
  return sql<number>`sum(${countOfHour(name)})`;
}

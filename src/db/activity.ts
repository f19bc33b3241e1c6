import { and, desc, eq, gte, lte, type SQL, sql } from "drizzle-orm";

import type { ActivityPoint, COUNTS } from "#domain/activity.ts";
import { dayOf } from "#domain/billing.ts";
import type { ActorId, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { countOfHour } from "./hours.ts";
import { payerOf } from "./owners.ts";
import { type LinkedId, ownerOf, ownerQuery } from "./resources.ts";
import { memberships, ownerUsage, usage, webhooks } from "./schema/tables.ts";

/** The owners of the resources: a user with the user's workspaces, or one owner. */
export type Whose = { user: ActorId } | { owner: OwnerId };

/** All resources of an owner or user, or one resource. */
type Which = Whose | { ownerOf: LinkedId };

/** A span of time, both ends in epoch seconds, the end exclusive. */
export type Span = { from: number; to: number };

/** For a condition: the owners of a query. Unlike `OR`, it can use an index on owner and time. */
export function ownersIn(whose: Which): SQL {
  if ("ownerOf" in whose) return ownerOf(whose.ownerOf);
  if ("owner" in whose) return sql`(${payerOf(whose.owner)})`;
  return sql`(SELECT ${whose.user} UNION ALL SELECT ${memberships.workspaceId} FROM ${memberships}
    WHERE ${memberships.userId} = ${whose.user})`;
}

/** For a batch: the activity in each hour of a span, oldest first; hours without any are absent. */
export function hoursQuery(db: Database, which: Which, span: Span) {
  // Owners have sums of all their resources; for one resource, its own rows are read.
  const table = "ownerOf" in which ? usage : ownerUsage;
  const at = hourAt(table);
  return db
    .select({
      at,
      runs: sum("runs"),
      failures: sum("failures"),
      events: sum("events"),
      deliveries: sum("deliveries"),
      failedDeliveries: sum("failedDeliveries"),
    })
    .from(sql`${table}, json_each(${table.hours}) AS hour`)
    .where(
      and(
        sql`${table.ownerId} IN ${ownersIn(which)}`,
        isWithin(table, span),
        "ownerOf" in which ? eq(usage.emitterId, which.ownerOf) : undefined,
      ),
    )
    .groupBy(at)
    .orderBy(at);
}

/** The begin of an hour of a row's day, epoch seconds. */
function hourAt(table: typeof usage | typeof ownerUsage): SQL<number> {
  return sql<number>`(unixepoch(${table.day}) + hour.key * 3600)`;
}

/** Whether an hour is in a span. The days come first: the index has them. */
function isWithin(table: typeof usage | typeof ownerUsage, { from, to }: Span): SQL | undefined {
  const at = hourAt(table);
  return and(
    gte(table.day, dayOf(from)),
    lte(table.day, dayOf(to - 1)),
    sql`${at} >= ${from}`,
    sql`${at} < ${to}`,
  );
}

/** The activity of a resource in each hour of a span; undefined if the user may not see it. */
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

/** A webhook with failed attempts: their number, and the number of all attempts. */
export type FailingWebhook = Pick<
  typeof webhooks.$inferSelect,
  "id" | "ownerId" | "name" | "url" | "active" | "inactiveReason"
> & { deliveries: number; failedDeliveries: number };

/** The webhooks of all owners with failed attempts in a span, those with the most failures first. */
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
    .where(and(sql`substr(${usage.emitterId}, 1, 3) = 'wh_'`, isWithin(usage, span)))
    .groupBy(webhooks.id)
    .having(sql`${failed} > 0`)
    .orderBy(desc(failed), webhooks.id)
    .limit(limit);
}

function sum(name: (typeof COUNTS)[number]): SQL<number> {
  return sql<number>`sum(${countOfHour(name)})`;
}

import { and, desc, eq, type SQL, sql, type SQLWrapper } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import { sources, subscriptions, usage, webhooks, workflows } from "./schema/tables.ts";

/** A resource whose object may have a record that is searched for. */
export type Holder<Kind extends "source" | "webhook" | "workflow"> = {
  id: Id<Kind>;
  ownerId: OwnerId;
  name: string;
  /** Whether its activity suggests that it has the record. */
  isLikely: boolean;
};

/** A part of a list of holders. */
type Part = { limit: number; offset: number };

/** Sources and workflows of owners: first those that did something in an hour of a day, then the newest. */
export async function emittersNear(
  db: Database,
  whose: Whose,
  { day, hour, limit, offset }: Part & { day: string; hour: number },
): Promise<Holder<"source" | "workflow">[]> {
  const fields = ({ id, ownerId, name, createdAt }: typeof sources | typeof workflows) => {
    const wasActive = sql`(SELECT CASE WHEN ${usage.hours} -> ${`$."${hour}"`} IS NULL THEN 1 ELSE 2 END
      FROM ${usage} WHERE ${ofDay(ownerId, id, day)})`;
    return {
      id: sql<Id<"source"> | Id<"workflow">>`${id}`.as("id"),
      ownerId,
      name,
      rank: sql<number>`coalesce(${wasActive}, 0)`.as("rank"),
      createdAt: sql<number>`${createdAt}`.as("created"),
    };
  };
  const isOwn = (ownerId: SQLWrapper) => sql`${ownerId} IN ${ownersIn(whose)}`;
  const rows = await db
    .select(fields(sources))
    .from(sources)
    .where(and(isOwn(sources.ownerId), eq(sources.state, "live")))
    .unionAll(db.select(fields(workflows)).from(workflows).where(isOwn(workflows.ownerId)))
    .orderBy(sql`rank DESC, created DESC, id DESC`)
    .limit(limit)
    .offset(offset);
  return rows.map(({ id, ownerId, name, rank }) => ({ id, ownerId, name, isLikely: rank > 1 }));
}

/** Workflows of owners: first those that ran on the most of some days, then the newest. */
export function workflowsNear(
  db: Database,
  whose: Whose,
  { days, limit, offset }: Part & { days: readonly string[] },
): Promise<Holder<"workflow">[]> {
  const { id, ownerId, name } = workflows;
  const ran = days.map(
    (day) => sql`EXISTS (SELECT 1 FROM ${usage} WHERE ${ofDay(ownerId, id, day)})`,
  );
  const rank = sql`(${sql.join(ran, sql` + `)})`;
  return db
    .select({ id, ownerId, name, isLikely: isAbove(rank, 0) })
    .from(workflows)
    .where(sql`${ownerId} IN ${ownersIn(whose)}`)
    .orderBy(desc(rank), desc(workflows.seq))
    .limit(limit)
    .offset(offset);
}

/** Webhooks of owners: first those that an emitter is subscribed by, then the newest. */
export function webhooksNear(
  db: Database,
  whose: Whose,
  { emitterId, limit, offset }: Part & { emitterId: string },
): Promise<Holder<"webhook">[]> {
  const { id, ownerId, name, url } = webhooks;
  const listens = sql`EXISTS (SELECT 1 FROM ${subscriptions}
    WHERE ${subscriptions.listenerId} = ${id} AND ${subscriptions.emitterId} = ${emitterId})`;
  return db
    .select({
      id,
      ownerId,
      name: sql<string>`coalesce(${name}, ${url})`,
      isLikely: isAbove(listens, 0),
    })
    .from(webhooks)
    .where(sql`${ownerId} IN ${ownersIn(whose)}`)
    .orderBy(desc(listens), desc(webhooks.seq))
    .limit(limit)
    .offset(offset);
}

function isAbove(rank: SQL, least: number): SQL<boolean> {
  return sql`${rank} > ${least}`.mapWith(Boolean);
}

/** The row of an emitter's usage on a day. */
function ofDay(
  ownerId: typeof sources.ownerId | typeof workflows.ownerId,
  id: typeof sources.id | typeof workflows.id,
  day: string,
): SQL {
  return sql`${usage.ownerId} = ${ownerId} AND ${usage.day} = ${day} AND ${usage.emitterId} = ${id}`;
}

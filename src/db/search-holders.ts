import { and, desc, eq, type SQL, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import { sources, subscriptions, usage, webhooks, workflows } from "./schema/tables.ts";

/** A resource whose object may have a record that is searched for. */
export type Holder<Kind extends "source" | "webhook" | "workflow"> = {
  id: Id<Kind>;
  ownerId: OwnerId;
  name: string;
};

/** Sources of owners: first those that did something in an hour of a day, then the newest. */
export function sourcesNear(
  db: Database,
  whose: Whose,
  { day, hour, limit }: { day: string; hour: number; limit: number },
): Promise<Holder<"source">[]> {
  const { id, ownerId, name } = sources;
  const wasActive = sql`(SELECT CASE WHEN ${usage.hours} -> ${`$."${hour}"`} IS NULL THEN 1 ELSE 2 END
    FROM ${usage} WHERE ${ofDay(ownerId, id, day)})`;
  return db
    .select({ id, ownerId, name })
    .from(sources)
    .where(and(sql`${ownerId} IN ${ownersIn(whose)}`, eq(sources.state, "live")))
    .orderBy(desc(sql`coalesce(${wasActive}, 0)`), desc(sources.seq))
    .limit(limit);
}

/** Workflows of owners: first those that ran on the most of some days, then the newest. */
export function workflowsNear(
  db: Database,
  whose: Whose,
  { days, limit }: { days: readonly string[]; limit: number },
): Promise<Holder<"workflow">[]> {
  const { id, ownerId, name } = workflows;
  const ran = days.map(
    (day) => sql`EXISTS (SELECT 1 FROM ${usage} WHERE ${ofDay(ownerId, id, day)})`,
  );
  return db
    .select({ id, ownerId, name })
    .from(workflows)
    .where(sql`${ownerId} IN ${ownersIn(whose)}`)
    .orderBy(desc(sql.join(ran, sql` + `)), desc(workflows.seq))
    .limit(limit);
}

/** Webhooks of owners: first those that an emitter is subscribed by, then the newest. */
export function webhooksNear(
  db: Database,
  whose: Whose,
  { emitterId, limit }: { emitterId: string; limit: number },
): Promise<Holder<"webhook">[]> {
  const { id, ownerId, name, url } = webhooks;
  const listens = sql`EXISTS (SELECT 1 FROM ${subscriptions}
    WHERE ${subscriptions.listenerId} = ${id} AND ${subscriptions.emitterId} = ${emitterId})`;
  return db
    .select({ id, ownerId, name: sql<string>`coalesce(${name}, ${url})` })
    .from(webhooks)
    .where(sql`${ownerId} IN ${ownersIn(whose)}`)
    .orderBy(desc(listens), desc(webhooks.seq))
    .limit(limit);
}

/** The row of an emitter's usage on a day. */
function ofDay(
  ownerId: typeof sources.ownerId | typeof workflows.ownerId,
  id: typeof sources.id | typeof workflows.id,
  day: string,
): SQL {
  return sql`${usage.ownerId} = ${ownerId} AND ${usage.day} = ${day} AND ${usage.emitterId} = ${id}`;
}

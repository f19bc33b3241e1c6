import { type SQL, sql } from "drizzle-orm";

import type { ActorId, OwnerId } from "#domain/ids.ts";

import { ownersIn } from "./activity.ts";
import type { Database } from "./client.ts";
import { mayListen } from "./listeners.ts";
import { type LinkedId, ownerOf, ownerQuery } from "./resources.ts";
import { sources, subscriptions, webhooks, workflows } from "./schema/tables.ts";

/** A subscription, and the visible fields of its other end: null if the user may not see it. */
export type LinkedResource = {
  id: string;
  ownerId: string;
  emitterId: string;
  listenerId: string;
  channel: string;
  filter: string | null;
  name: string | null;
  active: number | null;
};

/** Maximum links of a resource that are read. */
const MAX_LINKS = 200;

type LinkQuery = { user: ActorId; id: LinkedId };

/** The links of a resource, and its owner; undefined if the user may not see it. */
type Links = { ownerId: OwnerId; links: LinkedResource[] };

/** The subscriptions that could match events of an emitter, with the listeners of those; newest first. */
export function linksFrom(db: Database, { user, id }: LinkQuery): Promise<Links | undefined> {
  const glob = `${id.slice(0, id.indexOf("_"))}_*`;
  const owner = ownerOf(id);
  const from = sql`link.owner_id = ${owner} AND link.emitter_id IN (${id}, ${glob}, ${owner})`;
  return linksWhere(db, { user, id }, { end: sql`link.listener_id`, from });
}

/** The subscriptions that a listener receives events by, with the emitters of those; newest first. */
export function linksTo(db: Database, { user, id }: LinkQuery): Promise<Links | undefined> {
  const from = sql`link.listener_id = ${id}`;
  return linksWhere(db, { user, id }, { end: sql`link.emitter_id`, from });
}

async function linksWhere(
  db: Database,
  { user, id }: LinkQuery,
  { end, from }: { end: SQL; from: SQL },
): Promise<Links | undefined> {
  const owners = ownersIn({ user });
  const seen = (column: SQL): SQL => sql`(
    SELECT ${column} FROM (
      SELECT name, active FROM ${sources} WHERE id = ${end} AND state = 'live' AND owner_id IN ${owners}
      UNION ALL SELECT name, active FROM ${workflows} WHERE id = ${end} AND owner_id IN ${owners}
      UNION ALL SELECT coalesce(name, url), active FROM ${webhooks} WHERE id = ${end} AND owner_id IN ${owners}))`;
  const [[found], links] = await db.batch([
    ownerQuery(db, user, id),
    db
      .select({
        id: sql<string>`link.id`.as("id"),
        ownerId: sql<string>`link.owner_id`.as("owner_id"),
        emitterId: sql<string>`link.emitter_id`.as("emitter_id"),
        listenerId: sql<string>`link.listener_id`.as("listener_id"),
        channel: sql<string>`link.event_name`.as("event_name"),
        filter: sql<string | null>`link.filter`.as("filter"),
        name: sql<string | null>`${seen(sql`name`)}`.as("seen_name"),
        active: sql<number | null>`${seen(sql`active`)}`.as("seen_active"),
      })
      .from(sql`${subscriptions} AS link`)
      .where(sql`${from} AND ${mayListen("link")}`)
      .orderBy(sql`link.seq DESC`)
      .limit(MAX_LINKS),
  ]);
  return found && { ownerId: found.ownerId, links };
}

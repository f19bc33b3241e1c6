import { sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Route, RouteKey } from "#domain/routes.ts";

import type { Database } from "./client.ts";
import { mayListen } from "./listeners.ts";
import { memberships, subscriptions } from "./schema/tables.ts";

/** The subscriptions of an owner that name some emitters: by id, by glob, or by the owner. */
export function routesOf(
  db: Database,
  ownerId: string,
  emitterIds: readonly string[],
): Promise<Route[]> {
  return db.all<Route>(sql`
    SELECT link.emitter_id AS emitterId, link.owner_id AS ownerId,
      link.event_name AS channel, link.listener_id AS listenerId, link.filter AS filter,
      link.since_ms AS sinceMs
    FROM json_each(${JSON.stringify([...new Set(emitterIds)])}) AS wanted
    JOIN subscriptions AS link ON link.owner_id = ${ownerId} AND link.emitter_id = wanted.value
    WHERE ${mayListen("link")}`);
}

/** The routes of the subscriptions of a listener. */
export function keysOfListener(db: Database, listenerId: string): Promise<RouteKey[]> {
  return db.all<RouteKey>(sql`SELECT DISTINCT owner_id AS ownerId, emitter_id AS emitterId
    FROM ${subscriptions} WHERE listener_id = ${listenerId}`);
}

/** The routes of a user's subscriptions to the user's own emitters, in a workspace, and in the user's other ones. */
export function keysOfMember(
  db: Database,
  user: Id<"user">,
  workspace: Id<"workspace">,
): Promise<RouteKey[]> {
  return db.all<RouteKey>(sql`SELECT DISTINCT owner_id AS ownerId, emitter_id AS emitterId
    FROM ${subscriptions} WHERE user_id = ${user} AND owner_id IN (
      SELECT ${user} UNION SELECT ${workspace} UNION
      SELECT workspace_id FROM ${memberships} WHERE user_id = ${user})`);
}

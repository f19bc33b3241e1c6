import { sql } from "drizzle-orm";

import type { Emitter, Route } from "#domain/routes.ts";

import type { Database } from "./client.ts";
import { mayListen } from "./listeners.ts";

/** All subscriptions that could match events of these emitters: by the emitter itself, by glob, by its owner. */
export function routesOf(db: Database, emitters: readonly Emitter[]): Promise<Route[]> {
  const wanted = JSON.stringify(
    emitters.map(({ id, ownerId }) => [id, `${id.slice(0, id.indexOf("_"))}_*`, ownerId]),
  );
  return db.all<Route>(sql`
    SELECT DISTINCT link.emitter_id AS emitterId, link.owner_id AS ownerId,
      link.event_name AS channel, link.listener_id AS listenerId, link.filter AS filter
    FROM json_each(${wanted}) AS wanted
    JOIN subscriptions AS link ON link.owner_id = wanted.value ->> 2
      AND link.emitter_id IN (wanted.value ->> 0, wanted.value ->> 1, wanted.value ->> 2)
    WHERE ${mayListen("link")}`);
}

import { sql } from "drizzle-orm";

import type { Emitter, Route } from "../domain/routes.ts";
import type { Database } from "./client.ts";

/** All subscriptions that could match events of these emitters: by the emitter itself, by glob, by its owner. */
export function routesOf(db: Database, emitters: readonly Emitter[]): Promise<Route[]> {
  const wanted = JSON.stringify(
    emitters.map(({ id, ownerId }) => [id, `${id.slice(0, id.indexOf("_"))}_*`, ownerId]),
  );
  return db.all<Route>(sql`
    SELECT DISTINCT s.emitter_id AS emitterId, s.owner_id AS ownerId,
      s.event_name AS channel, s.listener_id AS listenerId
    FROM json_each(${wanted}) AS wanted
    JOIN subscriptions AS s ON s.owner_id = wanted.value ->> 2
      AND s.emitter_id IN (wanted.value ->> 0, wanted.value ->> 1, wanted.value ->> 2)`);
}

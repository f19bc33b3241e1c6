import { type SQL, sql } from "drizzle-orm";

import type { RouteKey } from "#domain/routes.ts";

import type { Database } from "./client.ts";
import type { RoutesChange } from "./routes-change.ts";
import {
  autoSubscriptions,
  sources,
  subscriptions,
  users,
  webhooks,
  workflows,
  workspaces,
} from "./schema/tables.ts";

/** Whether the resource of an id exists. True for values that are no id, such as globs. */
function exists(id: SQL): SQL {
  const row = (table: SQL): SQL =>
    sql`EXISTS (SELECT 1 FROM ${table} AS named WHERE named.id = ${id})`;
  return sql`CASE
    WHEN ${id} IN ('dc_*', 'p_*') THEN 1
    WHEN substr(${id}, 1, 3) = 'dc_' THEN ${row(sql`${sources}`)}
    WHEN substr(${id}, 1, 3) = 'wh_' THEN ${row(sql`${webhooks}`)}
    WHEN substr(${id}, 1, 2) = 'p_' THEN ${row(sql`${workflows}`)}
    WHEN substr(${id}, 1, 2) = 'u_' THEN ${row(sql`${users}`)}
    WHEN substr(${id}, 1, 2) = 'o_' THEN ${row(sql`${workspaces}`)}
    ELSE 1 END`;
}

/** A range of a table in order of creation. */
export type Stretch = { after: number; length: number };

/**
 * Delete the subscriptions of a stretch whose emitter or listener was deleted. `last`: the end of the stretch, unless
 * it ends the table.
 */
export async function deleteOrphanedSubscriptions(
  change: RoutesChange,
  stretch: Stretch,
): Promise<Trimmed> {
  const isOrphan = sql`NOT (${exists(sql`page.listener_id`)} AND ${exists(sql`page.emitter_id`)})`;
  const { rows, last } = await trim(
    change.db,
    {
      table: sql`${subscriptions}`,
      isOrphan,
      emitter: sql`emitter_id`,
    },
    stretch,
  );
  change.note(rows);
  return { deleted: rows.length, last };
}

/** Delete the auto-subscriptions of a stretch whose listener was deleted. */
export async function deleteOrphanedAutoSubscriptions(
  db: Database,
  stretch: Stretch,
): Promise<Trimmed> {
  const isOrphan = sql`NOT ${exists(sql`page.listener_id`)}`;
  const table = sql`${autoSubscriptions}`;
  const { rows, last } = await trim(db, { table, isOrphan, emitter: sql`''` }, stretch);
  return { deleted: rows.length, last };
}

export type Trimmed = { deleted: number; last: number | null };

async function trim(
  db: Database,
  { table, isOrphan, emitter }: { table: SQL; isOrphan: SQL; emitter: SQL },
  { after, length }: Stretch,
): Promise<{ rows: RouteKey[]; last: number | null }> {
  const page = sql`(SELECT * FROM ${table} WHERE seq > ${after} ORDER BY seq LIMIT ${length})`;
  const [found] = await db.all<{ length: number; last: number }>(
    sql`SELECT count(*) AS length, max(seq) AS last FROM ${page}`,
  );
  const rows = await db.all<RouteKey>(sql`
    DELETE FROM ${table} WHERE seq IN (SELECT page.seq FROM ${page} AS page WHERE ${isOrphan}) RETURNING owner_id AS ownerId, ${emitter} AS emitterId`);
  return { rows, last: found?.length === length ? found.last : null };
}

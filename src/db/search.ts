import { type SQL, sql } from "drizzle-orm";

import type { OwnerId } from "#domain/ids.ts";

import { ownersIn, type Whose } from "./activity.ts";
import type { Database } from "./client.ts";
import type { Found, Ranked } from "./found.ts";
import { accounts } from "./schema/accounts.ts";
import { oauthClients, projects } from "./schema/connect.ts";
import {
  apiKeys,
  components,
  dataStores,
  sources,
  webhooks,
  workflows,
  workspaces,
} from "./schema/tables.ts";
import { connectQueries } from "./search-connect.ts";

type Place = { type: Found["type"]; table: SQL; name: SQL; detail: SQL; also?: SQL; where?: SQL };

/**
 * The searched tables, and the searched text of each beside name and id. Of components with one key, the newest is
 * found.
 */
const PLACES: readonly Place[] = [
  {
    type: "source",
    table: sql`${sources}`,
    name: sql`name`,
    detail: sql`name_slug`,
    where: sql`AND state = 'live'`,
  },
  {
    type: "workflow",
    table: sql`${workflows}`,
    name: sql`name`,
    detail: sql`"trigger" ->> 'type'`,
  },
  {
    type: "webhook",
    table: sql`${webhooks}`,
    name: sql`coalesce(name, url)`,
    detail: sql`url`,
    also: sql`url`,
  },
  { type: "account", table: sql`${accounts}`, name: sql`name`, detail: sql`app`, also: sql`app` },
  {
    type: "component",
    table: sql`${components}`,
    name: sql`name`,
    detail: sql`key`,
    also: sql`key`,
    where: sql`AND key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${components} AS newer
      WHERE newer.owner_id = ${components.ownerId} AND newer.key = ${components.key} AND newer.seq > ${components.seq})`,
  },
  { type: "data_store", table: sql`${dataStores}`, name: sql`name`, detail: sql`NULL` },
  {
    type: "project",
    table: sql`${projects}`,
    name: sql`name`,
    detail: sql`NULL`,
    where: sql`AND deleted_at IS NULL`,
  },
  {
    type: "workspace",
    table: sql`(SELECT rowid AS seq, id, id AS owner_id, name, orgname, created_at FROM ${workspaces})`,
    name: sql`coalesce(nullif(name, ''), orgname)`,
    detail: sql`orgname`,
    also: sql`orgname`,
  },
  {
    type: "api_key",
    table: sql`(SELECT rowid AS seq, id, user_id AS owner_id, name, created_at FROM ${apiKeys})`,
    name: sql`coalesce(name, id)`,
    detail: sql`NULL`,
  },
  { type: "oauth_client", table: sql`${oauthClients}`, name: sql`name`, detail: sql`NULL` },
];

/**
 * Resources with a text in name or id, case-insensitive (ASCII): exact matches first, then prefixes of the name, each
 * newest first.
 */
export async function resourcesWith(
  db: Database,
  whose: Whose,
  { text, limit }: { text: string; limit: number },
): Promise<Found[]> {
  const [first, ...others] = PLACES.map((place) =>
    db
      .select(fieldsOf(place, text))
      .from(sql`${place.table}`)
      .where(isFound(place, whose, text))
      .orderBy(sql`rank`, sql`created_at DESC`, sql`seq DESC`)
      .limit(limit),
  );
  if (!first) return [];
  // D1 accepts five selects in one statement, and any number of statements in a batch.
  const found: Ranked[] = (
    await db.batch([first, ...others, ...connectQueries(db, whose, { text, limit })])
  ).flat();
  const ranked = found.toSorted((a, b) => a.rank - b.rank || b.at - a.at);
  // An external user may be found by two queries.
  const all = new Map(ranked.map(({ rank: _rank, at: _at, ...one }) => [one.id, one]));
  return [...all.values()].slice(0, limit);
}

function fieldsOf({ type, name, detail }: Place, text: string) {
  const wanted = sql`lower(${text})`;
  return {
    type: sql<Found["type"]>`${type}`.as("type"),
    id: sql<string>`id`.as("id"),
    name: sql<string>`${name}`.as("found_name"),
    detail: sql<string | null>`${detail}`.as("detail"),
    parentId: sql<string | null>`NULL`.as("parent_id"),
    ownerId: sql<OwnerId>`owner_id`.as("owner_id"),
    rank: sql<number>`CASE WHEN ${wanted} IN (lower(id), lower(${name})) THEN 0
      WHEN instr(lower(${name}), ${wanted}) = 1 OR instr(lower(id), ${wanted}) = 1 THEN 1 ELSE 2 END`.as(
      "rank",
    ),
    at: sql<number>`created_at`.as("at"),
  };
}

function isFound(
  { name, also = sql`NULL`, where = sql`` }: Place,
  whose: Whose,
  text: string,
): SQL {
  const texts = sql`lower(${name} || char(10) || id || char(10) || coalesce(${also}, ''))`;
  return sql`owner_id IN ${ownersIn(whose)} ${where} AND instr(${texts}, lower(${text})) > 0`;
}

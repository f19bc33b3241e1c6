import { or, type SQL, sql } from "drizzle-orm";

import type { Database } from "../client.ts";
import { contains } from "../contains.ts";
import { apps, componentApps } from "../schema/connect.ts";

/** Filters and order of a list of apps. Absent: no filter. */
export type AppListRequest = {
  limit: number;
  /** The slug after which the page begins. */
  after?: string | undefined;
  before?: string | undefined;
  /** Part of the slug or the name. */
  q?: string | undefined;
  sortKey: "name" | "name_slug" | "featured_weight";
  isDescending: boolean;
  /** The names of categories; an app in any of them is in the list. */
  categories?: readonly string[] | undefined;
  /** The app must have components of these types. */
  having: readonly ("action" | "component" | "source")[];
  /** The apps of the catalogue, with their aliases. */
  catalogue: readonly ListedApp[];
};

/** What a list needs of an app of the catalogue. `entry`: the slug of its entry, which differs from that of an alias. */
export type ListedApp = {
  slug: string;
  entry: string;
  name: string;
  categories: readonly string[];
};

/**
 * The slugs of apps that the operator configured, published components use or the catalogue has, and their number. An
 * entry is in the list once, under the slugs of it that are configured or used, if any, and under an alias that is the
 * whole of `q`.
 */
export async function pageOfApps(
  db: Database,
  request: AppListRequest,
): Promise<{ slugs: string[]; totalCount: number }> {
  const { limit, after, before, sortKey, isDescending } = request;
  const wanted = sql`SELECT slug, ${PLACES[sortKey]} AS place FROM ${listed(request)} WHERE ${matching(request)}`;
  const isBackward = before !== undefined;
  const goesDown = isDescending !== isBackward;
  const from = after ?? before;
  const within =
    from === undefined
      ? sql`true`
      : sql`(place, slug) ${goesDown ? sql`<` : sql`>`} (SELECT place, slug FROM wanted WHERE slug = ${from})`;
  const order = goesDown ? sql`place DESC, slug DESC` : sql`place, slug`;
  const page = sql`WITH wanted AS (${wanted}) SELECT slug FROM wanted WHERE ${within} ORDER BY ${order} LIMIT ${limit}`;
  const [rows, [total]] = await Promise.all([
    db.all<{ slug: string }>(page),
    db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (${wanted})`),
  ]);
  const slugs = rows.map(({ slug }) => slug);
  return { slugs: isBackward ? slugs.toReversed() : slugs, totalCount: total?.count ?? 0 };
}

/** The names of all categories of apps, in order. */
export async function categoryNames(
  db: Database,
  catalogue: readonly ListedApp[],
): Promise<string[]> {
  const rows = await db.all<{ name: string }>(
    sql`SELECT DISTINCT c.value AS name FROM ${listed({ catalogue })} AS a, json_each(a.categories) AS c ORDER BY name`,
  );
  return rows.map(({ name }) => name);
}

const listed = ({ catalogue, q = "" }: Pick<AppListRequest, "catalogue" | "q">) => sql`(
  WITH catalogue AS MATERIALIZED (
    SELECT value ->> 'slug' AS slug, value ->> 'entry' AS entry, value ->> 'name' AS name,
      value ->> 'categories' AS categories
    FROM json_each(${JSON.stringify(catalogue)})),
  used AS (SELECT app AS slug FROM ${componentApps} UNION SELECT slug FROM ${apps})
  SELECT k.slug, a.settings,
    coalesce(json_extract(a.settings, '$.name'), c.name, replace(replace(k.slug, '_', ' '), '-', ' '))
      AS name,
    coalesce(json_extract(a.settings, '$.categories'), c.categories) AS categories,
    coalesce(u.actions, 0) AS actions, coalesce(u.sources, 0) AS sources
  FROM (
    SELECT slug FROM used
    UNION SELECT slug FROM catalogue
    WHERE CASE WHEN slug <> entry THEN slug = lower(${q}) ELSE entry NOT IN (
      SELECT one.entry FROM catalogue AS one JOIN used ON used.slug = one.slug) END) AS k
  LEFT JOIN ${apps} AS a ON a.slug = k.slug
  LEFT JOIN catalogue AS c ON c.slug = k.slug
  LEFT JOIN (
    SELECT app, sum(component_type = 'action') AS actions, sum(component_type = 'source') AS sources
    FROM ${componentApps} GROUP BY app) AS u ON u.app = k.slug)`;

const PLACES = {
  name: sql`lower(name)`,
  name_slug: sql`slug`,
  featured_weight: sql`coalesce(json_extract(settings, '$.featured_weight'), 0)`,
};

const HAVING = {
  action: sql`actions > 0`,
  source: sql`sources > 0`,
  component: sql`actions + sources > 0`,
};

function matching({ q, categories, having }: AppListRequest): SQL {
  const conditions = [
    ...having.map((kind) => HAVING[kind]),
    ...(q === undefined ? [] : [or(contains(sql`slug`, q), contains(sql`name`, q)) ?? sql`true`]),
    ...(categories
      ? [
          sql`EXISTS (SELECT 1 FROM json_each(categories) AS c
            WHERE c.value IN (SELECT value FROM json_each(${JSON.stringify(categories)})))`,
        ]
      : []),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` AND `);
}

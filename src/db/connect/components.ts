import { and, desc, eq, getTableColumns, isNotNull, isNull, or, type SQL, sql } from "drizzle-orm";

import type { PayerId } from "#domain/ids.ts";
import type { Search } from "#domain/search.ts";

import { isAccessible } from "../access.ts";
import type { Database } from "../client.ts";
import { type Component, REGISTRY } from "../components.ts";
import {
  type Hit,
  type HitRequest,
  ownHitsOf,
  scoreOf,
  publishedHitsOf,
} from "../registry-search.ts";
import { componentApps } from "../schema/connect.ts";
import { registryTypes } from "../schema/derived.ts";
import { registryEntries, registryVersions as versions } from "../schema/registry.ts";
import { components } from "../schema/tables.ts";

const { seq: _, ...shown } = getTableColumns(components);

export type ComponentType = Component["definition"]["type"];

/** Filters of a list of components. Absent: no filter. */
export type ComponentFilter = {
  type?: ComponentType | undefined;
  /** The slug of an app that they use. */
  app?: string | undefined;
  /** The search query. */
  search?: Search | undefined;
  /** The registry's, the owner's own, or both. */
  registry: "public" | "private" | "all";
};

/**
 * Components that an owner may use: the registry's, and the newest of the owner's own under each key, published before
 * saved, which hides that of the registry. In a search the best match comes first, else they are in the order of their
 * keys.
 */
export async function pageOfComponents(
  db: Database,
  owner: PayerId,
  { filter, request }: { filter: ComponentFilter; request: HitRequest },
): Promise<{ items: Hit[]; totalCount: number }> {
  const found = foundBy(owner, filter);
  const { limit, after, before } = request;
  const place = sql`(-score, key)`;
  const within = after
    ? sql`${place} > (${-after.score}, ${after.key})`
    : before
      ? sql`${place} < (${-before.score}, ${before.key})`
      : sql`true`;
  const order = before ? sql`score, key DESC` : sql`score DESC, key`;
  const page = sql`(
    SELECT key, score, coalesce(seq, (
      SELECT c.seq FROM ${registryEntries} AS e JOIN ${components} AS c ON c.id = e.component_id
      WHERE e.key = nearest.key)) AS seq
    FROM (SELECT * FROM ${found} WHERE ${within} ORDER BY ${order} LIMIT ${limit}) AS nearest)`;
  const [items, [total]] = await db.batch([
    db
      .select({
        ...shown,
        license: versions.license,
        deprecated: versions.deprecated,
        score: sql<number>`page.score`.as("score"),
      })
      .from(components)
      .leftJoin(versions, eq(versions.componentId, components.id))
      .innerJoin(sql`${page} AS page`, sql`page.seq = ${components.seq}`)
      .orderBy(sql`page.score DESC`, sql`page.key`),
    db.select({ count: sql<number>`count(*)`.as("count") }).from(sql`${found}`),
  ]);
  return { items, totalCount: total?.count ?? 0 };
}

/** Keys with their scores; with the row of an own component, and without for one of the registry. */
function foundBy(owner: PayerId, filter: ComponentFilter): SQL {
  return sql`(
    WITH own AS MATERIALIZED (
      SELECT c.key, coalesce(max(c.seq) FILTER (WHERE v.component_id IS NOT NULL), max(c.seq)) AS seq
      FROM ${components} AS c LEFT JOIN ${versions} AS v ON v.component_id = c.id
      WHERE c.owner_id = ${owner} AND c.key IS NOT NULL AND v.unpublished_at IS NULL
        AND ${filter.registry !== "public"}
      GROUP BY c.key)
    SELECT key, seq, score FROM (${ownBy(owner, filter)})
    UNION ALL
    SELECT key, NULL, score FROM (${publishedBy(filter)})
    WHERE ${filter.registry !== "private"} AND key NOT IN (SELECT key FROM own))`;
}

function ownBy(owner: PayerId, { type, app, search }: ComponentFilter): SQL {
  const isOfType =
    type === undefined
      ? sql`true`
      : sql`own.seq IN (
          SELECT seq FROM ${components} WHERE owner_id = ${owner} AND key IS NOT NULL
            AND json_extract(definition, '$.type') = ${type})`;
  const usesApp =
    app === undefined
      ? sql`true`
      : sql`EXISTS (
          SELECT 1 FROM json_each(c.definition, '$.props') AS prop
          WHERE json_extract(prop.value, '$.type') = 'app'
            AND json_extract(prop.value, '$.app') = ${app})`;
  if (search === undefined)
    return sql`
      SELECT own.key, own.seq, 0 AS score FROM own JOIN ${components} AS c ON c.seq = own.seq
      WHERE ${isOfType} AND ${usesApp}`;
  return sql`
    SELECT own.key, own.seq, ${scoreOf(search, sql`json_extract(c.definition, '$.type')`)} AS score
    FROM own JOIN ${components} AS c ON c.seq = own.seq
      JOIN ${ownHitsOf(search)} AS hits ON hits.seq = own.seq
    WHERE ${isOfType} AND ${usesApp}`;
}

function publishedBy({ type, app, search }: ComponentFilter): SQL {
  const isOfType = type === undefined ? sql`true` : sql`t.component_type = ${type}`;
  const usesApp =
    app === undefined
      ? sql`true`
      : sql`t.key IN (SELECT key FROM ${componentApps} WHERE app = ${app})`;
  const from =
    search === undefined
      ? sql`(SELECT key, 0 AS score, component_type FROM ${registryTypes}) AS t`
      : sql`(
          SELECT hits.key, ${scoreOf(search, sql`types.component_type`)} AS score, types.component_type
          FROM ${publishedHitsOf(search)} AS hits
          JOIN ${registryTypes} AS types ON types.key = hits.key) AS t`;
  return sql`SELECT t.key, t.score FROM ${from} WHERE ${isOfType} AND ${usesApp}`;
}

/** The newest component of a key and a version that an owner may use: of the owner's own, else a published one. */
export async function componentOfVersion(
  db: Database,
  owner: PayerId,
  { key, version }: { key: string; version: string },
): Promise<Component | undefined> {
  const isUsable = or(
    isAccessible(db, components.ownerId, owner),
    eq(components.ownerId, REGISTRY),
  );
  const [component] = await db
    .select(shown)
    .from(components)
    .leftJoin(versions, eq(versions.componentId, components.id))
    .where(
      and(
        eq(components.key, key),
        eq(components.version, version),
        isNull(versions.unpublishedAt),
        isUsable,
      ),
    )
    .orderBy(
      desc(eq(components.ownerId, owner)),
      eq(components.ownerId, REGISTRY),
      desc(isNotNull(versions.componentId)),
      desc(components.seq),
    )
    .limit(1);
  return component;
}

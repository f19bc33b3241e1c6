import { sql } from "drizzle-orm";

import type { Database } from "./client.ts";
import { dataStores, sources, webhooks, workflows } from "./schema/tables.ts";

/** Kinds of resources with Durable Objects that a backup contains and a restore recreates. */
export const KEPT_KINDS = ["sources", "workflows", "webhooks", "data_stores"] as const;
export type KeptKind = (typeof KEPT_KINDS)[number];

/** The directory row of one of them. `url` and `owner_id` are a webhook's. */
export type Listed = { seq: number; id: string; active: number; url: string; owner_id: string };

const TABLES = { sources, workflows, webhooks, data_stores: dataStores };
const SHOWN = {
  sources: sql`active, '' AS url, '' AS owner_id`,
  workflows: sql`active, '' AS url, '' AS owner_id`,
  webhooks: sql`active, url, owner_id`,
  data_stores: sql`1 AS active, '' AS url, '' AS owner_id`,
};

/** All rows of a kind, of every owner, in order of creation, after one of them. */
export function listedAfter(
  db: Database,
  kind: KeptKind,
  { after, limit }: { after: number; limit: number },
): Promise<Listed[]> {
  return db.all<Listed>(sql`
    SELECT seq, id, ${SHOWN[kind]} FROM ${TABLES[kind]} WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`);
}

/** The ids that the directory has, of some ids. */
export async function listedAmong(
  db: Database,
  kind: KeptKind,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows = await db.all<{ id: string; owner: string }>(sql`
    SELECT id, owner_id AS owner FROM ${TABLES[kind]} WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}

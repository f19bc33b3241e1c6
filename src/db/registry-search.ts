import { and, desc, eq, getTableColumns, notExists, type SQL, sql } from "drizzle-orm";

import type { HitPlace } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { registryTerms } from "./schema/derived.ts";
import { components, registryEntries } from "./schema/tables.ts";

const { seq: _, ...shown } = getTableColumns(components);

/** A component of the registry, and how well it matches. */
type Component = Omit<typeof components.$inferSelect, "seq">;
export type Hit = Component & { score: number };

export type HitRequest = {
  limit: number;
  after?: HitPlace | undefined;
  before?: HitPlace | undefined;
};

/** Extra score of a key that equals the query. */
const EXACT_KEY = 1000;

/** Components of the registry that have all the words, or words that begin with them; the best match first. */
export async function searchRegistry(
  db: Database,
  { words, exact }: { words: readonly string[]; exact: string },
  { limit, after, before }: HitRequest,
): Promise<{ items: Hit[]; totalCount: number }> {
  const hits = hitsOf(words, exact);
  const place = sql`(-hits.score, hits.key)`;
  const within = after
    ? sql`${place} > (${-after.score}, ${after.key})`
    : before && sql`${place} < (${-before.score}, ${before.key})`;
  const order = before
    ? [sql`hits.score`, sql`hits.key DESC`]
    : [sql`hits.score DESC`, sql`hits.key`];
  const [items, [total]] = await db.batch([
    db
      .select({ ...shown, score: sql<number>`hits.score`.as("score") })
      .from(registryEntries)
      .innerJoin(sql`${hits} AS hits`, sql`hits.key = ${registryEntries.key}`)
      .innerJoin(components, eq(components.id, registryEntries.componentId))
      .where(within)
      .orderBy(...order)
      .limit(limit),
    db.select({ count: sql<number>`count(*)`.as("count") }).from(sql`${hits} AS hits`),
  ]);
  return { items: before ? items.toReversed() : items, totalCount: total?.count ?? 0 };
}

/** For a query: keys with their scores. Each word is a range of the index; a whole word counts twice what a beginning does. */
export function hitsOf(words: readonly string[], exact: string): SQL {
  return sql`(
    SELECT key, sum(best) + ${EXACT_KEY} * (key = ${exact}) AS score
    FROM (
      SELECT t.key AS key, max(t.weight * (1 + (t.term = wanted.value))) AS best
      FROM json_each(${JSON.stringify(words)}) AS wanted
      JOIN ${registryTerms} AS t
        ON t.term >= wanted.value AND t.term < wanted.value || char(1114111)
      GROUP BY t.key, wanted.value
    )
    GROUP BY key HAVING count(*) = ${words.length})`;
}

/** For a batch: index the words of a component if it is still the one that is published under its key. */
export function indexQueries(
  db: Database,
  { id, key }: Component & { key: string },
  terms: object,
) {
  const isCurrent = sql`EXISTS (
    SELECT 1 FROM ${registryEntries} AS e WHERE e.key = ${key} AND e.component_id = ${id})`;
  return [
    db.delete(registryTerms).where(and(eq(registryTerms.key, key), isCurrent)),
    db.insert(registryTerms).select(
      sql`SELECT term.key, ${key}, term.value FROM json_each(${JSON.stringify(terms)}) AS term
        WHERE ${isCurrent}`,
    ),
  ] as const;
}

/** Components of the registry that are not indexed: they were published before search existed. */
export function unindexedComponents(db: Database, limit: number): Promise<Component[]> {
  const terms = db
    .select({ key: registryTerms.key })
    .from(registryTerms)
    .where(eq(registryTerms.key, registryEntries.key));
  return db
    .select(shown)
    .from(registryEntries)
    .innerJoin(components, eq(components.id, registryEntries.componentId))
    .where(notExists(terms))
    .orderBy(desc(components.seq))
    .limit(limit);
}

/** Index the words of a component. */
export async function indexComponent(
  db: Database,
  component: Component & { key: string },
  terms: object,
): Promise<void> {
  await db.batch(indexQueries(db, component, terms));
}

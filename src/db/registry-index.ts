import { and, desc, eq, getTableColumns, gte, notExists, sql } from "drizzle-orm";

import { INDEX_VERSION, type SearchTerms } from "#domain/search.ts";
import { spellingsOf } from "#domain/spelling.ts";

import type { Database } from "./client.ts";
import {
  registryIndexed,
  registrySpellings,
  registryTerms,
  registryWords,
} from "./schema/derived.ts";
import { registryEntries } from "./schema/registry.ts";
import { components } from "./schema/tables.ts";

const { seq: _, ...shown } = getTableColumns(components);

type Component = Omit<typeof components.$inferSelect, "seq">;

/** For a batch: index the words of a component if it is still the published one of its key. */
export function indexQueries(
  db: Database,
  { id, key }: Component & { key: string },
  { weights, words }: SearchTerms,
) {
  const isCurrent = sql`EXISTS (
    SELECT 1 FROM ${registryEntries} AS e WHERE e.key = ${key} AND e.component_id = ${id})`;
  const terms = JSON.stringify(words.map(({ word, term }) => [word, term]));
  const spellings = JSON.stringify(
    words.flatMap(({ word }) => spellingsOf(word).map((spelling) => [spelling, word])),
  );
  return [
    db.delete(registryTerms).where(and(eq(registryTerms.key, key), isCurrent)),
    db.insert(registryTerms).select(
      sql`SELECT term.key, ${key}, term.value FROM json_each(${JSON.stringify(weights)}) AS term
        WHERE ${isCurrent}`,
    ),
    db
      .insert(registryWords)
      .select(sql`SELECT value ->> 0, value ->> 1 FROM json_each(${terms}) WHERE ${isCurrent}`)
      .onConflictDoUpdate({
        target: registryWords.word,
        set: { term: sql`excluded.term` },
        setWhere: sql`excluded.term <> ${registryWords.term}`,
      }),
    db
      .insert(registrySpellings)
      .select(sql`SELECT value ->> 0, value ->> 1 FROM json_each(${spellings}) WHERE ${isCurrent}`)
      .onConflictDoNothing(),
    db
      .insert(registryIndexed)
      .select(sql`SELECT ${key}, ${id}, ${INDEX_VERSION} WHERE ${isCurrent}`)
      .onConflictDoUpdate({
        target: registryIndexed.key,
        set: { componentId: id, indexVersion: INDEX_VERSION },
      }),
  ] as const;
}

/** Components of the registry that are not indexed: another release published them, or indexed them differently. */
export function unindexedComponents(
  db: Database,
  indexVersion: number,
  limit: number,
): Promise<Component[]> {
  const indexed = db
    .select({ key: registryIndexed.key })
    .from(registryIndexed)
    .where(
      and(
        eq(registryIndexed.key, registryEntries.key),
        eq(registryIndexed.componentId, registryEntries.componentId),
        gte(registryIndexed.indexVersion, indexVersion),
      ),
    );
  return db
    .select(shown)
    .from(registryEntries)
    .innerJoin(components, eq(components.id, registryEntries.componentId))
    .where(notExists(indexed))
    .orderBy(desc(components.seq))
    .limit(limit);
}

/** Index the words of a component. */
export async function indexComponent(
  db: Database,
  component: Component & { key: string },
  terms: SearchTerms,
): Promise<void> {
  await db.batch(indexQueries(db, component, terms));
}

import { type SQL, sql } from "drizzle-orm";

import type { HitPlace } from "#domain/page.ts";
import { type Candidate, type Query, type Search, searchOf } from "#domain/search.ts";
import { spellingsOf } from "#domain/spelling.ts";

import type { Database } from "./client.ts";
import type { Component, Publication } from "./components.ts";
import {
  registrySpellings,
  registryTerms,
  registryTypes,
  registryWords,
} from "./schema/derived.ts";

/** A component and its score. */
export type Hit = Component & Publication & { score: number };

export type HitRequest = {
  limit: number;
  after?: HitPlace | undefined;
  before?: HitPlace | undefined;
};

/** Extra score of a match of all words, and of a key that equals the query. */
const ALL_WORDS = 1_000_000;
const EXACT_KEY = 100_000_000;

/** Maximum words that a prefix in a query can match. */
const MAX_BEGUN = 100;

/** Maximum forms of each word that are searched in an owner's own components: there may be many of these. */
const MAX_OWN_FORMS = 8;

const COUNT = sql`(SELECT count(*) FROM ${registryTerms} AS t WHERE t.term = w.term)`;

/** The indexed words that replace the words of a query. */
export async function resolveQuery(db: Database, query: Query): Promise<Search> {
  const words = JSON.stringify(query.words.map(({ word, term }, index) => [index, word, term]));
  const spellings = JSON.stringify(
    query.words.flatMap(({ word }, index) =>
      spellingsOf(word).map((spelling) => [index, spelling]),
    ),
  );
  const synonyms = JSON.stringify(
    query.synonyms.map(({ word, term, index }) => [index, word, term]),
  );
  const [[total], exact, replacing, begun, misspelt] = await db.batch([
    db.select({ count: sql<number>`count(*)`.as("count") }).from(registryTypes),
    candidates(db, formsOf(words)),
    candidates(db, formsOf(synonyms)),
    candidates(
      db,
      sql`(
        SELECT value ->> 0 AS "index", o.word, o.term FROM json_each(${words})
        JOIN ${registryWords} AS o ON o.word IN (
          SELECT word FROM ${registryWords}
          WHERE word >= value ->> 1 AND word < (value ->> 1) || char(1114111)
          ORDER BY word LIMIT ${MAX_BEGUN}))`,
    ),
    candidates(
      db,
      sql`(
        SELECT DISTINCT value ->> 0 AS "index", o.word, o.term FROM json_each(${spellings})
        JOIN ${registrySpellings} AS s ON s.spelling = value ->> 1
        JOIN ${registryWords} AS o ON o.word = s.word)`,
    ),
  ]);
  return searchOf(query, {
    exact,
    synonyms: replacing,
    begun,
    misspelt,
    total: total?.count ?? 0,
  });
}

/** Words and their indexed forms; `words`: the JSON of arrays of index, word and term. */
function formsOf(words: string): SQL {
  return sql`(
    SELECT value ->> 0 AS "index", value ->> 1 AS word, value ->> 2 AS term FROM json_each(${words})
    UNION
    SELECT value ->> 0, o.word, o.term FROM json_each(${words})
    JOIN ${registryWords} AS o ON o.term = value ->> 2)`;
}

function candidates(db: Database, from: SQL) {
  return db
    .select({
      index: sql<Candidate["index"]>`w."index"`.as("index"),
      word: sql<Candidate["word"]>`w.word`.as("word"),
      term: sql<Candidate["term"]>`w.term`.as("term"),
      count: sql<Candidate["count"]>`${COUNT}`.as("count"),
    })
    .from(sql`${from} AS w`);
}

/** For a query: entries of the registry with enough of the words, their summed weights, and the number of words. */
export function publishedHitsOf({ meanings, needed, rarest }: Search): SQL {
  const wanted = new Map<string, (string | number)[]>();
  for (const { index, term, factor } of meanings) {
    const id = `${index} ${term}`;
    const [, , least = 0] = wanted.get(id) ?? [];
    wanted.set(id, [index, term, Math.max(factor, Number(least))]);
  }
  // The sign keeps the filter from choosing the rows: common words would be looked up once for each of its keys.
  const isRelevant = sql`+t.key IN (
    SELECT key FROM ${registryTerms} WHERE term IN (SELECT value FROM json_each(${JSON.stringify(rarest)})))`;
  return sql`(
    SELECT key, sum(best) AS sum, count(*) AS words
    FROM (
      SELECT t.key AS key, max(t.weight * (value ->> 2)) AS best
      FROM json_each(${JSON.stringify([...wanted.values()])})
      JOIN ${registryTerms} AS t ON t.term = value ->> 1
      WHERE ${isRelevant}
      GROUP BY t.key, value ->> 0
    )
    GROUP BY key HAVING count(*) >= ${needed})`;
}

/** As above, for an owner's own components in `own`: these have no terms, so their texts are searched. */
export function ownHitsOf({ meanings, needed }: Search): SQL {
  const wanted: [index: number, word: string, factor: number][] = [];
  for (const { index, word, factor } of meanings) {
    const ofWord = wanted.filter(([other]) => other === index);
    const isCovered = ofWord.some(([, beginning]) => word.startsWith(beginning));
    if (!isCovered && ofWord.length < MAX_OWN_FORMS) wanted.push([index, word, factor]);
  }
  return sql`(
    SELECT seq, key, sum(best) AS sum, count(*) AS words
    FROM (
      SELECT texts.seq AS seq, texts.key AS key, max((value ->> 2) * CASE
        WHEN ${has(sql`texts.name`)} THEN 100 WHEN ${has(sql`texts.slugs`)} THEN 40
        WHEN ${has(sql`texts.description`)} THEN 10 ELSE 0 END) AS best
      FROM (
        SELECT own.seq, own.key, ${plain(sql`c.name`)} AS name, ${plain(sql`c.key`)} AS slugs,
          ${plain(sql`coalesce(json_extract(c.definition, '$.description'), '')`)} AS description
        FROM own JOIN components AS c ON c.seq = own.seq) AS texts, json_each(${JSON.stringify(wanted)})
      GROUP BY texts.seq, value ->> 0 HAVING best > 0
    )
    GROUP BY seq HAVING count(*) >= ${needed})`;
}

function has(text: SQL): SQL {
  return sql`instr(${text}, ' ' || (value ->> 1)) > 0`;
}

function plain(text: SQL): SQL {
  return sql`' ' || replace(replace(lower(${text}), '-', ' '), '_', ' ')`;
}

/** The score of a row's hit for a component of this type. Queries that name a trigger rank sources before actions. */
export function scoreOf({ size, exact, prefersSources }: Search, type: SQL): SQL {
  const liked = prefersSources ? sql`CASE WHEN ${type} = 'source' THEN 12 ELSE 10 END` : sql`10`;
  return sql`hits.sum * ${liked} / 10 + ${ALL_WORDS} * (hits.words = ${size}) + ${EXACT_KEY} * (hits.key = ${exact})`;
}

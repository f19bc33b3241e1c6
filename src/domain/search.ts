import { isOneTypoApart } from "./spelling.ts";
import { stemOf } from "./stem.ts";
import { synonymsOf } from "./synonyms.ts";

/** The version of the index. After an increase the sweep indexes all components again. */
export const INDEX_VERSION = 1;

/** The weight of a word by its field. A word of the name counts more the fewer words the name has. */
const WEIGHTS = { app: 50, key: 40, description: 10 } as const;
const nameWeight = (words: number) => 60 + Math.round(120 / (words + 1));

/** Maximum words of a query, and of a component; further ones are ignored. */
const MAX_WORDS = 10;
const MAX_INDEXED_WORDS = 500;
const MAX_WORD = 64;

/** Stop words. `new` is none: it distinguishes sources from actions. */
const STOP_WORDS = new Set(
  `a about an and any are as at be been but by can could do does each every for from had has have how i if in into is it
  its let me my need notify of on or our please should so tell that the their them then there these they this those to us
  using via want wants was we were what when whenever where which while who will with would you your`.split(
    /\s+/,
  ),
);

/** Words of a query that names a trigger: sources have triggers. */
const WAITING = new Set(["notify", "tell", "when", "whenever"]);

export type Searchable = {
  key: string;
  name: string;
  description?: string | undefined;
  /** The slugs of the apps that it uses. */
  apps?: readonly string[];
};

/** A word, and the term under which all of its forms are found. */
type Word = { word: string; term: string };

/** The index entries of a component: the weight of each term, and its words. */
export type SearchTerms = { weights: Record<string, number>; words: Word[] };

/** The terms of a component, each with the weight of its best place. */
export function termsOf(component: Searchable): SearchTerms {
  const terms = new Map<string, number>();
  const words = new Map<string, string>();
  for (const [found, weight] of placesOf(component))
    for (const word of found) {
      if (words.size >= MAX_INDEXED_WORDS) break;
      const term = stemOf(word);
      words.set(word, term);
      if (!terms.has(term)) terms.set(term, weight);
    }
  return {
    weights: Object.fromEntries(terms),
    words: [...words].map(([word, term]) => ({ word, term })),
  };
}

/** The words of each place of a component, and their weight there: highest first. */
function placesOf({ key, name, description = "", apps = [] }: Searchable): [string[], number][] {
  const named = wordsIn(name);
  const [app = "", ...rest] = key.split("-");
  const slugs = rest.length > 0 ? [app, ...apps] : apps;
  // An app is found by its words, and by all of them in one, as users write it.
  const ofApps = slugs.map((slug) => wordsIn(slug)).flatMap((slug) => [...slug, slug.join("")]);
  return [
    [named, nameWeight(named.length)],
    [ofApps.filter((word) => word !== ""), WEIGHTS.app],
    [wordsIn(key), WEIGHTS.key],
    [wordsIn(description.replaceAll(/https?:\/\/\S+/g, " ")), WEIGHTS.description],
  ];
}

/** The words of a query, without stop words, and without two forms of one word. */
export type Query = {
  words: Word[];
  /** Words that may replace the word at `index`: those of a task differ from the words of components. */
  synonyms: (Word & { index: number })[];
  /** Whether it describes a task, of which one word may be enough. */
  isTask: boolean;
  /** The unchanged query: a key that equals it comes first. */
  exact: string;
  prefersSources: boolean;
};

/**
 * The query in a text. It has no words if the text consists of stop words. `isTask`: it describes a task in a user's
 * words, rather than a component.
 */
export function queryOf(text: string, { isTask = false }: { isTask?: boolean } = {}): Query {
  const found = new Map(wordsIn(text).map((word) => [stemOf(word), word]));
  const words = [...found].slice(0, MAX_WORDS).map(([term, word]) => ({ word, term }));
  return {
    words,
    synonyms: isTask ? words.flatMap((word, index) => replacementsOf(word, index)) : [],
    isTask,
    exact: text.trim(),
    prefersSources: plainWords(text).some((word) => WAITING.has(word)),
  };
}

function replacementsOf({ word, term }: Word, index: number): Query["synonyms"] {
  const others = new Set([...synonymsOf(word), ...synonymsOf(term)]);
  return [...others].map((other) => ({ index, word: other, term: stemOf(other) }));
}

/** A word of the index that the query's word at `index` may mean; `count`: the number of components with its term. */
export type Candidate = Word & { index: number; count: number };

/** The index entries for the words of a query. */
export type Candidates = {
  exact: readonly Candidate[];
  begun: readonly Candidate[];
  synonyms: readonly Candidate[];
  misspelt: readonly Candidate[];
  /** The number of components. */
  total: number;
};

/** A query with all meanings of its words. */
export type Search = Omit<Query, "isTask" | "synonyms" | "words"> & {
  /** The number of its words, and the number of them that a component must have. */
  size: number;
  needed: number;
  /** The terms that replace each word, with their weights. */
  meanings: (Word & { index: number; factor: number })[];
  /** Terms of the rarest words: a component with enough words must have one of them. */
  rarest: string[];
};

/** The certainty that a word is meant. */
const SURENESS = { exact: 10, synonyms: 4, begun: 4, misspelt: 3 } as const;

/** A component for a task must have one of this many of its rarest words. */
const RAREST_OF_TASK = 6;

/** A word of the index counts as a typo if a neighbour is this many times as common. */
const TYPO_RATIO = 20;

/**
 * The terms to search: each word, words that begin with it, and, if there are hardly any, those that are one typo
 * apart.
 */
export function searchOf(
  { words, isTask, exact, prefersSources }: Query,
  candidates: Candidates,
): Search {
  const meanings = words.flatMap((word, index) => meaningsOf(word, index, candidates));
  const size = words.length;
  const needed = isTask ? 1 : Math.floor(size / 2) + 1;
  const rarest = isTask
    ? rarestOf(knownAmong(meanings, candidates), RAREST_OF_TASK)
    : rarestOf(meanings, 1 + size - needed);
  return { exact, prefersSources, size, needed, meanings, rarest };
}

/** The meanings of those words that some component has: a task also has words such as names. */
function knownAmong(meanings: Search["meanings"], candidates: Candidates): Search["meanings"] {
  const { exact, synonyms, begun, misspelt } = candidates;
  const found = [...exact, ...synonyms, ...begun, ...misspelt].filter(({ count }) => count > 0);
  const known = new Set(found.map(({ index }) => index));
  return meanings.filter(({ index }) => known.has(index));
}

/** The rarest terms of some words. Every component with enough words has at least one of them. */
function rarestOf(meanings: Search["meanings"], words: number): string[] {
  const factors = new Map<number, number>();
  for (const { index, factor } of meanings)
    factors.set(index, Math.max(factor, factors.get(index) ?? 0));
  const byFactor = [...factors].toSorted(([, one], [, other]) => other - one);
  const rare = new Set(byFactor.slice(0, words).map(([index]) => index));
  return [...new Set(meanings.filter(({ index }) => rare.has(index)).map(({ term }) => term))];
}

function meaningsOf(
  { word, term }: Word,
  index: number,
  { total, ...candidates }: Candidates,
): Search["meanings"] {
  const of = (found: readonly Candidate[]) => found.filter((one) => one.index === index);
  const exact = of(candidates.exact);
  const begun = of(candidates.begun);
  const known = commonest(exact) || commonest(begun);
  const misspelt = of(candidates.misspelt).filter(
    (one) => one.count >= known * TYPO_RATIO && isOneTypoApart(word, one.word),
  );
  const rarity = rarityOf(known || commonest(misspelt), total);
  const found = new Map<string, Search["meanings"][number]>();
  for (const [kind, more] of [
    ["exact", [{ word, term, index, count: known }, ...exact]],
    ["synonyms", of(candidates.synonyms)],
    ["begun", begun],
    ["misspelt", misspelt],
  ] as const)
    for (const meant of more) {
      if (found.has(meant.word)) continue;
      const ofKind = kind === "synonyms" ? rarityOfSynonym(meant, total) : rarity;
      const factor = ofKind * (meant.term === term ? SURENESS.exact : SURENESS[kind]);
      found.set(meant.word, { index, word: meant.word, term: meant.term, factor });
    }
  return [...found.values()];
}

/** A synonym that no component has must not count as one of the rarest words. */
function rarityOfSynonym({ count }: Candidate, total: number): number {
  return count === 0 ? 1 : rarityOf(count, total);
}

function commonest(found: readonly Candidate[]): number {
  return Math.max(0, ...found.map(({ count }) => count));
}

/** From 1, for a term of all components, to 15. Whole, so that a page's cursor survives later publications. */
function rarityOf(count: number, total: number): number {
  const rarity = 1 + Math.log2(Math.max(total, 1) / Math.max(count, 1));
  return Math.round(Math.min(15, Math.max(1, rarity)));
}

function wordsIn(text: string): string[] {
  return plainWords(text).filter((word) => !STOP_WORDS.has(word));
}

/** Words in lower case without accents; all characters but letters and digits separate them. */
function plainWords(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu)?.map((word) => word.slice(0, MAX_WORD)) ?? [];
}

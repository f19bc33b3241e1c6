/** The searched fields of a component, and the weight of a match in each. */
const WEIGHTS = { name: 8, key: 6, description: 1 } as const;

/** Maximum words of a query; further ones are ignored. */
const MAX_WORDS = 10;
const MAX_WORD = 64;

export type Searchable = { key: string; name: string; description?: string | undefined };

/** The words of a component with the weight of the best place where each stands. */
export function termsOf(component: Searchable): Record<string, number> {
  const terms = new Map<string, number>();
  for (const field of ["description", "key", "name"] as const)
    for (const word of wordsIn(component[field] ?? "")) terms.set(word, WEIGHTS[field]);
  return Object.fromEntries(terms);
}

/** The words of a query. A hit contains each of them, or a word that begins with it. */
export function wordsOf(query: string): string[] {
  return [...new Set(wordsIn(query))].slice(0, MAX_WORDS);
}

/** Words in lower case without accents; all characters but letters and digits separate them. */
function wordsIn(text: string): string[] {
  const plain = text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu)?.map((word) => word.slice(0, MAX_WORD)) ?? [];
}

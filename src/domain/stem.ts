/** Forms that no rule below derives. */
const IRREGULAR = new Map(
  Object.entries({
    news: "news",
    sent: "send",
    paid: "pay",
    made: "make",
    bought: "buy",
    sold: "sell",
  }),
);

const MIN_LENGTH = 4;

/** Endings and what replaces them, in the order in which they are tried; each pattern is one step of a word's way. */
const STEPS: readonly (readonly [RegExp, string])[] = [
  // Plurals.
  [/(?<=..)ies$/, "y"],
  [/(?<=ss|x|ch|sh|zz)es$/, ""],
  [/(?<=..[^suia'])s$/, ""],
  [/(?<=.[ao])s$/, ""],
  // Verbs: a vowel stays before the ending.
  [/(?<=..)ied$/, "y"],
  [/(?<=[aeiouy].*[^e])ed$|(?<=[aeiouy].+)ing$/, ""],
  [/([bdfgmnprt])\1$/, "$1"],
  [/(?<=.....)ll$/, "l"],
  // Nouns that are made of verbs.
  [/ification$/, "ify"],
  [/scription$/, "scribe"],
  [/mission$/, "mit"],
  [/(?<=...t)ion$/, ""],
  // Endings that the same word may have or not.
  [/(?<=...)e$/, ""],
  [/(?<=..[^aeiou])y$/, "i"],
];

/** The common stem of an English word's forms: `invoices` and `invoice`, `submitted` and `submission`. */
export function stemOf(word: string): string {
  const irregular = IRREGULAR.get(word);
  if (irregular !== undefined) return irregular;
  if (word.length < MIN_LENGTH || !/^[a-z]+$/.test(word)) return word;
  return STEPS.reduce((form, [ending, replaced]) => form.replace(ending, replaced), word);
}

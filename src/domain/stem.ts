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

/** Endings and their replacements, in the order of application; each pattern is one step. */
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
  // Nouns from verbs.
  [/ification$/, "ify"],
  [/scription$/, "scribe"],
  [/mission$/, "mit"],
  [/(?<=...t)ion$/, ""],
  // Optional endings of the same word.
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

/**
 * Maximum tokens of a caller's code, about 2 MB as people write it: a `switch` takes the compiler a time that grows with
 * the square of its cases.
 */
const MAX_TOKENS = 400_000;

/** Names, numbers and signs. Those in texts and comments count too: only a parser could tell. */
const TOKEN = /[\p{ID_Continue}$]+|[^\s\p{ID_Continue}$]/gu;

/** The message for code with too many tokens. */
export const TOO_MANY_TOKENS = `The code has more than ${MAX_TOKENS} names, numbers and signs: put data in a JSON file, or code in a package`;

/** Counts the tokens of some files. */
export class TokenCount {
  #tokens = 0;

  /** Whether all code so far has at most the allowed tokens. */
  admits(code: string): boolean {
    TOKEN.lastIndex = 0;
    while (this.#tokens <= MAX_TOKENS && TOKEN.test(code)) this.#tokens += 1;
    return this.#tokens <= MAX_TOKENS;
  }
}

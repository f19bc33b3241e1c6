/**
 * Characters that change what a terminal shows of the text around them: control characters, directions of text (U+202E),
 * line separators, and others without a glyph, except those that join letters and emojis.
 */
const CONTROL = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\u200C\u200D]]+/gv;

/** A text as one line of a terminal. */
export function asLine(text: string): string {
  return text.replaceAll(CONTROL, " ").trim();
}

/** Lines of text as a terminal may show them. */
export function asLines(text: string): string {
  return text.replaceAll(CONTROL, (characters) => characters.replaceAll(/[^\t\n]/gu, " "));
}

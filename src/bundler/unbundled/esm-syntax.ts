/** Matches syntax of ES modules at the beginning of a line or a statement; also in text and comments. */
const ESM_SYNTAX =
  /(?:^|[;}\n])\s*(?:import(?:\s+[\w$]|\s*(?:[*{"']|\/\*))|export\s*(?:[*{]|default\b|const\b|let\b|var\b|class\b|function\b|async\b))|\bimport\.meta\b/;

/** Whether code may be an ES module, by its text. */
export function isEsmSyntax(code: string): boolean {
  return ESM_SYNTAX.test(code);
}

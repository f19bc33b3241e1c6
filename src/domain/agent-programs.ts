/** Maximum length of a program, in characters. */
export const MAX_PROGRAM_LENGTH = 64 * 1024;

/** A function instead of the statements of one, as language models write it. */
const FUNCTION = /^(?:async\s*)?(?:function\b|\([^)]*\)\s*=>|[A-Za-z_$][\w$]*\s*=>)/;

/** The function `program` of an agent's code: statements with a `return`, or a function that is called. */
export function programOf(code: string): string {
  const text = code.trim();
  const body = FUNCTION.test(text) ? `return (${text.replace(/;+$/, "")}\n)(apps, run);` : text;
  return `\nasync function program(apps, run) {\n${body}\n}\n`;
}

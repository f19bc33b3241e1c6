import { parse } from "acorn";

/** A node of a syntax tree, as acorn creates it. */
export type Node = Record<string, unknown> & { type: string };

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

/** Larger code is not checked: its tree takes too much memory. */
export const MAX_CHECKED_CHARACTERS = 2 ** 18;

/** The error of code that is not a script; undefined also for code that is too large to be checked. */
export function syntaxErrorIn(code: string): string | undefined {
  if (code.length > MAX_CHECKED_CHARACTERS) return undefined;
  try {
    parse(code, { ecmaVersion: "latest", sourceType: "script" });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

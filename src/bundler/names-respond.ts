import { parse } from "acorn";

import { isNode, type Node } from "./syntax.ts";

/** Larger code that has the word counts as naming it, because its syntax tree would take much memory. */
const MAX_CHARACTERS = 2 ** 18;

/**
 * Whether the compiled files of a component, without its packages, name `respond`: as a property, in destructuring or
 * as a string. Code that cannot be parsed counts as naming it.
 */
export function namesRespond(code: string): boolean {
  // Names and strings may be written with escapes: the compiler resolves them in modules alone.
  if (!/respond|\\[ux]/.test(code)) return false;
  if (code.length > MAX_CHARACTERS) return true;
  try {
    const program = parse(code, { ecmaVersion: "latest", sourceType: "module" });
    return !isNode(program) || isNamedIn(program);
  } catch {
    return true;
  }
}

function isNamedIn(program: Node): boolean {
  const nodes = [program];
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (isName(node)) return true;
    for (const child of Object.values(node).flat()) if (isNode(child)) nodes.push(child);
  }
  return false;
}

/** A node has a `key` or a `property` if it is a member, of an object, a pattern or a class. */
function isName({ type, key, property, value }: Node): boolean {
  if (type === "Literal") return value === "respond";
  if (type === "TemplateElement") return isNameOf(value, "cooked");
  return isNameOf(key, "name") || isNameOf(property, "name");
}

function isNameOf(value: unknown, field: string): boolean {
  return typeof value === "object" && value !== null && Reflect.get(value, field) === "respond";
}

import { parse } from "acorn";

import { isNode, type Node } from "./syntax.ts";

/** Larger files are compiled, and compilers declare the variables that they assign to. */
const MAX_CHARACTERS = 2 ** 18;

/** Matches an assignment that is a statement. */
const ASSIGNMENT = /(^|[;{})\n])[ \t]*([A-Za-z_$][\w$]*)[ \t]*=(?![=>])/g;

/** `for (name of …)`. */
const LOOP = /\bfor\s*\(\s*([A-Za-z_$][\w$]*)\s*(?:=(?![=>])|\bin\b|\bof\b)/g;

/** The end of a line that the next line continues. */
const CONTINUED = /[,([=?:&|+*/-]\s*$/;

/** Variables that CommonJS code has without a declaration. */
const GIVEN = new Set(["exports", "require", "module", "__filename", "__dirname", "arguments"]);

/**
 * Whether a CommonJS file assigns to a variable that it never declares: only sloppy code may. For most files the text
 * decides; a doubtful one is parsed.
 */
export function assignsUndeclared(code: string): boolean {
  if (code.length > MAX_CHARACTERS || /["']use strict["']/.test(code)) return false;
  if (!suspects(code).some((name) => !isDeclaredIn(code, name))) return false;
  try {
    const options = { allowReturnOutsideFunction: true, allowHashBang: true } as const;
    const program = parse(code, { ecmaVersion: "latest", sourceType: "script", ...options });
    const names: Names = { declared: new Set(), assigned: new Set() };
    if (isNode(program)) collect(program, names);
    return [...names.assigned].some((name) => !names.declared.has(name) && !isGiven(name));
  } catch {
    // An ES module, or invalid code: the compiler reports it.
    return false;
  }
}

function suspects(code: string): string[] {
  const assigned = code.matchAll(ASSIGNMENT).filter(({ index, 1: before }) => {
    return before !== "\n" || !CONTINUED.test(code.slice(Math.max(0, index - 80), index));
  });
  const names = [
    ...assigned.map(([, , name = ""]) => name),
    ...code.matchAll(LOOP).map(([, name = ""]) => name),
  ];
  return [...new Set(names)].filter((name) => !isGiven(name));
}

function isGiven(name: string): boolean {
  return GIVEN.has(name) || name in globalThis;
}

/** Whether the text declares a name, as a variable or a parameter: nearly all declarations look so. */
function isDeclaredIn(code: string, name: string): boolean {
  const word = `\\b${name.replaceAll("$", String.raw`\$`)}(?![\\w$])`;
  const ways = [
    String.raw`\b(?:var|let|const|function\*?|class)\s+${word}`,
    String.raw`\bfunction\b[^()]{0,200}\([^()]{0,300}${word}`,
    String.raw`\([^()]{0,300}${word}[^()]{0,300}\)\s*=>`,
    String.raw`${word}\s*=>`,
  ];
  return new RegExp(ways.join("|")).test(code);
}

type Names = { declared: Set<string>; assigned: Set<string> };

/** The fields with the declared names, and with the assigned ones, by kind of node. */
const DECLARED: Record<string, string[]> = {
  VariableDeclarator: ["id"],
  FunctionDeclaration: ["id", "params"],
  FunctionExpression: ["id", "params"],
  ArrowFunctionExpression: ["params"],
  ClassDeclaration: ["id"],
  ClassExpression: ["id"],
  CatchClause: ["param"],
};
const ASSIGNED: Record<string, string[]> = {
  AssignmentExpression: ["left"],
  ForInStatement: ["left"],
  ForOfStatement: ["left"],
};

/** The fields with the names that a pattern binds, by kind of node. */
const BINDING: Record<string, string> = {
  AssignmentPattern: "left",
  ArrayPattern: "elements",
  ObjectPattern: "properties",
  Property: "value",
  RestElement: "argument",
};

/** Note the names that a piece of code declares, in any scope, and the assigned ones. */
function collect(node: Node, names: Names): void {
  for (const name of namesAt(node, DECLARED)) names.declared.add(name);
  for (const name of namesAt(node, ASSIGNED)) names.assigned.add(name);
  for (const child of Object.values(node).flat()) if (isNode(child)) collect(child, names);
}

function namesAt(node: Node, places: Record<string, string[]>): string[] {
  return (places[node.type] ?? []).flatMap((key) => boundBy(node[key]));
}

function boundBy(pattern: unknown): string[] {
  if (Array.isArray(pattern)) return pattern.flatMap((one) => boundBy(one));
  if (!isNode(pattern)) return [];
  if (pattern.type === "Identifier") return [String(pattern["name"])];
  const key = BINDING[pattern.type];
  return key === undefined ? [] : boundBy(pattern[key]);
}

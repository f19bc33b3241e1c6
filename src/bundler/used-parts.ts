import { parse } from "acorn";

import { PARTIAL_PACKAGES, type PartialPackage, type UsedParts } from "./partial-packages.ts";
import { parseSpecifier } from "./specifiers.ts";
import { isNode, type Node } from "./syntax.ts";

/**
 * Find the parts of packages that the files of a component name. `code` is one ES module of all files, with imports of
 * packages as written. A package with any use of its exports that is not obvious is absent.
 */
export function usedParts(code: string, specifiers: Iterable<string>): UsedParts {
  const imported = new Set([...specifiers].map((specifier) => parseSpecifier(specifier)?.name));
  const names = [...PARTIAL_PACKAGES.keys()].filter((name) => imported.has(name));
  try {
    const program =
      names.length > 0 && parse(code, { ecmaVersion: "latest", sourceType: "module" });
    if (!isNode(program)) return new Map();
    const found = names.map((name) => [name, partsOf(name, program)] as const);
    return new Map(found.flatMap(([name, parts]) => (parts ? [[name, parts] as const] : [])));
  } catch {
    // For a file that cannot be parsed, or is nested too deeply, whole packages are used.
    return new Map();
  }
}

/** Maximum variables between a package and the use of a part, below it in the code. */
const MAX_PASSES = 4;

function partsOf(name: string, program: Node): ReadonlySet<string> | undefined {
  const partial = PARTIAL_PACKAGES.get(name);
  if (partial === undefined) return undefined;
  const search = new PartSearch(name, partial);
  // A function may precede the variables that it uses.
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const known = search.knownNames;
    search.visit(program);
    if (search.knownNames === known) return search.parts();
  }
  return undefined;
}

/** The members that lead from a package's exports to a value. */
type Path = readonly string[];

/**
 * Follows the exports of one package through code, by the names of variables: scopes are not distinguished, so it may
 * find too much.
 */
class PartSearch {
  readonly #name: string;
  readonly #partial: PartialPackage;
  readonly #variables = new Map<string, Path>();
  readonly #parts = new Set<string>();
  #isWhole = false;

  constructor(name: string, partial: PartialPackage) {
    this.#name = name;
    this.#partial = partial;
  }

  get knownNames(): number {
    return this.#variables.size;
  }

  /** Undefined if all of the package may be used. */
  parts(): ReadonlySet<string> | undefined {
    return this.#isWhole ? undefined : this.#parts;
  }

  visit(node: Node): void {
    const path = this.#pathOf(node);
    if (path !== undefined) this.#use(path);
    else if (node.type === "ImportDeclaration") this.#import(node);
    else if (this.#isImport(node)) this.#isWhole = true;
    else if (node.type === "VariableDeclarator") this.#declare(node);
    else for (const child of childrenOf(node)) this.visit(child);
  }

  #import({ source, specifiers }: Node): void {
    if (!this.#isMeant(source)) return;
    for (const specifier of nodesIn(specifiers)) {
      const name = nameOf(specifier["imported"]) ?? "default";
      const path = specifier.type === "ImportNamespaceSpecifier" ? [] : below([], name);
      this.#bind(specifier["local"], path);
    }
  }

  #declare(node: Node): void {
    const path = isNode(node["init"]) ? this.#pathOf(node["init"]) : undefined;
    if (path !== undefined) this.#bind(node["id"], path);
    else for (const child of childrenOf(node)) this.visit(child);
  }

  /** Assign a value to a variable, or to the variables of a pattern. */
  #bind(pattern: unknown, path: Path): void {
    if (!isNode(pattern) || !this.#isAbovePart(path)) this.#use(path);
    else if (pattern.type === "Identifier") this.#remember(String(pattern["name"]), path);
    else if (pattern.type === "ObjectPattern") this.#bindProperties(pattern, path);
    else this.#use(path);
  }

  #bindProperties({ properties }: Node, path: Path): void {
    for (const property of nodesIn(properties)) {
      const key = property["computed"] === true ? undefined : nameOf(property["key"]);
      if (key === undefined) this.#use(path);
      else this.#bind(property["value"], below(path, key));
    }
  }

  #remember(name: string, path: Path): void {
    const other = this.#variables.get(name) ?? path;
    if (other.join(".") === path.join(".")) this.#variables.set(name, path);
    else this.#isWhole = true;
  }

  /** The path of an expression in the package's exports; undefined if it is none. */
  #pathOf(node: Node): Path | undefined {
    if (node.type === "Identifier") return this.#variables.get(String(node["name"]));
    if (node.type === "MemberExpression") return this.#memberPath(node);
    if (node.type === "CallExpression") return this.#isRequire(node) ? [] : undefined;
    return this.#pathInside(node);
  }

  /** The path of an expression that only wraps another one. */
  #pathInside({ type, argument, expression }: Node): Path | undefined {
    if (type === "ChainExpression" && isNode(expression)) return this.#pathOf(expression);
    const isAwaited = type === "AwaitExpression" && isNode(argument);
    return isAwaited && this.#isDynamicImport(argument) ? [] : undefined;
  }

  #memberPath({ object, property, computed }: Node): Path | undefined {
    const path = isNode(object) ? this.#pathOf(object) : undefined;
    const isKnown = computed !== true || (isNode(property) && property.type === "Literal");
    const key = isKnown ? nameOf(property) : undefined;
    return path && key !== undefined ? below(path, key) : undefined;
  }

  #use(path: Path): void {
    if (this.#isAbovePart(path)) this.#isWhole = true;
    const [first = "", second] = path;
    const name = first === this.#partial.table ? (second ?? "") : (first.split("_")[0] ?? "");
    if (!this.#partial.plain.has(name)) this.#parts.add(name);
  }

  /** Whether a value has parts as members: code with that value may use any. */
  #isAbovePart(path: Path): boolean {
    return path.length === 0 || (path.length === 1 && path[0] === this.#partial.table);
  }

  /** An import by other means than the usual ones. */
  #isImport(node: Node): boolean {
    const isReexport =
      node.type === "ExportNamedDeclaration" || node.type === "ExportAllDeclaration";
    return (isReexport && this.#isMeant(node["source"])) || this.#isDynamicImport(node);
  }

  #isDynamicImport({ type, source }: Node): boolean {
    return type === "ImportExpression" && this.#isMeant(source);
  }

  /** The compiler calls it `__require`. */
  #isRequire({ callee, arguments: args }: Node): boolean {
    return /^(?:__)?require$/.test(nameOf(callee) ?? "") && this.#isMeant(nodesIn(args)[0]);
  }

  /** Whether a specifier names the package. A file inside of it may lead to any part. */
  #isMeant(specifier: unknown): boolean {
    const value = isNode(specifier) ? specifier["value"] : undefined;
    const request = typeof value === "string" ? parseSpecifier(value) : undefined;
    if (request?.name !== this.#name) return false;
    if (request.subpath !== "") this.#isWhole = true;
    return true;
  }
}

/** The default export of CommonJS is all of it. */
function below(path: Path, key: string): Path {
  return path.length === 0 && key === "default" ? path : [...path, key];
}

/** A name as written: an identifier or a text. */
function nameOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Identifier") return String(node["name"]);
  return node.type === "Literal" ? String(node["value"]) : undefined;
}

/** The children of a node, except for names of properties, which are no variables. */
function childrenOf(node: Node): Node[] {
  const { key, property, ...others } = node;
  const names = node["computed"] === true ? [key, property] : [];
  return [...names, ...Object.values(others)].flat().filter((child) => isNode(child));
}

function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.filter((one) => isNode(one)) : [];
}

import { exports as exportsOf, imports as importsOf, type Package } from "resolve.exports";

import { isBuiltin } from "./builtins.ts";
import { isRelative, joined } from "./paths.ts";
import { parseSpecifier } from "./specifiers.ts";

/** Files as Node sees them, from a root without a name: `node_modules/a/index.js`. */
export type FileTree = {
  isFile(path: string): boolean;
  isFolder(path: string): boolean;
  /** The `package.json` in a folder. */
  manifest(folder: string): PackageManifest | undefined;
};

export type PackageManifest = {
  name?: unknown;
  type?: unknown;
  main?: unknown;
  browser?: unknown;
  module?: unknown;
  exports?: unknown;
  imports?: unknown;
};

/** `import` covers dynamic imports too: Node uses the same conditions for both. */
export type ImportKind = "import" | "require";

export type Resolution = { path: string } | { builtin: string } | { failure: string };

type Search = { tree: FileTree; importer: string; kind: ImportKind };

const CONDITIONS = {
  import: ["node", "import", "module-sync", "node-addons"],
  require: ["node", "require", "module-sync", "node-addons"],
} as const;

/**
 * The file that Node resolves a specifier to. If Node refuses an ES import because of a missing extension, the result
 * is the CommonJS one: some published packages are only ever read by bundlers.
 */
export function resolveIn(
  tree: FileTree,
  specifier: string,
  { importer, kind }: { importer: string; kind: ImportKind },
): Resolution {
  const search = { tree, importer, kind };
  if (specifier.startsWith("#")) return resolveImports(search, specifier);
  if (isRelative(specifier)) {
    const path = joined(importer, specifier);
    return fileOrFolder(tree, path, /(?:^|\/)\.{0,2}$/.test(specifier)) ?? missing(specifier);
  }
  if (isBuiltin(specifier)) return { builtin: `node:${specifier.replace(/^node:/, "")}` };
  return resolveBare(search, specifier);
}

/** Whether Node loads a file as an ES module, by its name and manifest alone. */
export function isEsm(tree: FileTree, path: string): boolean {
  if (path.endsWith(".mjs")) return true;
  if (!path.endsWith(".js")) return false;
  const scope = scopeOf(tree, path);
  return scope !== undefined && tree.manifest(scope)?.type === "module";
}

function resolveImports(search: Search, specifier: string): Resolution {
  const scope = scopeOf(search.tree, search.importer);
  const manifest = scope === undefined ? undefined : search.tree.manifest(scope);
  if (scope === undefined || manifest?.imports === undefined) return missing(specifier);
  const target = mapped(() =>
    importsOf(asPackage(manifest), specifier, optionsOf(search, manifest)),
  );
  if (target === undefined) return missing(specifier);
  if (target.startsWith("./")) return exact(search.tree, joined(`${scope}/`, target), specifier);
  return resolveIn(search.tree, target, { ...search, importer: `${scope}/package.json` });
}

function resolveBare(search: Search, specifier: string): Resolution {
  const request = splitBare(specifier);
  if (request === undefined) return { failure: `"${specifier}" is not the name of a package` };
  return (
    resolveSelf(search, request) ??
    firstOf(ancestors(search.importer), (folder) =>
      resolveInstalled(search, under(folder, `node_modules/${request.name}`), request.subpath),
    ) ?? { failure: `There is no package "${request.name}"` }
  );
}

type Bare = { name: string; subpath: string };

/** A name inside packages never contains a version: an `@` in it belongs to one of our folders, `name@range`. */
function splitBare(specifier: string): Bare | undefined {
  const request = parseSpecifier(specifier);
  if (request === undefined) return undefined;
  const { name, range, subpath } = request;
  return { name: range === undefined ? name : `${name}@${range}`, subpath };
}

/** A package may import itself by its name, through its `exports`. */
function resolveSelf(search: Search, { name, subpath }: Bare): Resolution | undefined {
  const scope = scopeOf(search.tree, search.importer);
  const manifest = scope === undefined ? undefined : search.tree.manifest(scope);
  if (scope === undefined || manifest?.name !== name || !hasExports(manifest)) return undefined;
  return resolveExports(search, { folder: scope, manifest, subpath });
}

function resolveInstalled(search: Search, folder: string, subpath: string): Resolution | undefined {
  const { tree, kind } = search;
  const manifest = tree.manifest(folder);
  if (manifest !== undefined && hasExports(manifest)) {
    return resolveExports(search, { folder, manifest, subpath });
  }
  const path = folder + subpath.replace(/\/$/, "");
  const found = fileOrFolder(tree, path, subpath.endsWith("/"));
  if (found !== undefined || kind === "require" || !tree.isFolder(folder)) return found;
  return { failure: `The package has no file "${subpath || "index.js"}"` };
}

function resolveExports(
  search: Search,
  { folder, manifest, subpath }: { folder: string; manifest: PackageManifest; subpath: string },
): Resolution {
  const target = mapped(() =>
    exportsOf(asPackage(manifest), `.${subpath}`, optionsOf(search, manifest)),
  );
  if (target === undefined) return { failure: `The package does not export ".${subpath}"` };
  // A target never leaves its package.
  if (!target.startsWith("./") || /\/(?:\.\.?|node_modules)(?:\/|$)/.test(target.slice(1))) {
    return { failure: `The package exports ".${subpath}" from outside itself` };
  }
  return exact(search.tree, joined(`${folder}/`, target), target);
}

function hasExports({ exports }: PackageManifest): boolean {
  return exports !== undefined && exports !== null;
}

/** The first target of a map; throws if it has none. */
function mapped(look: () => readonly string[] | undefined | void): string | undefined {
  try {
    return look()?.[0];
  } catch {
    return undefined;
  }
}

/** Packages that are empty on Node: clients detect a Worker here and import them. */
const OF_WORKERS = new Set<unknown>(["pg-cloudflare"]);

function optionsOf(
  { kind }: Search,
  { name }: PackageManifest,
): { conditions: readonly string[]; unsafe: true } {
  const more = OF_WORKERS.has(name) ? ["workerd"] : [];
  return { conditions: [...more, ...CONDITIONS[kind]], unsafe: true };
}

function asPackage(manifest: PackageManifest): Package {
  const name = typeof manifest.name === "string" ? manifest.name : "package";
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it reads existing fields and throws if it cannot.
  return { ...manifest, name } as Package;
}

function exact(tree: FileTree, path: string, specifier: string): Resolution {
  return tree.isFile(path) ? { path } : missing(specifier);
}

function missing(specifier: string): Resolution {
  return { failure: `There is no file "${specifier}"` };
}

function fileOrFolder(
  tree: FileTree,
  path: string,
  folderOnly: boolean,
): { path: string } | undefined {
  const file = folderOnly ? undefined : asFile(tree, path);
  const found = file ?? asFolder(tree, path);
  return found === undefined ? undefined : { path: found };
}

function asFile(tree: FileTree, path: string): string | undefined {
  return ["", ".js", ".json", ".node"].map((end) => path + end).find((name) => tree.isFile(name));
}

/** Packages that compile code from text when they load, and have an equivalent build for browsers that does not. */
const BROWSER_BUILDS = new Set<unknown>(["depd"]);

function asFolder(tree: FileTree, path: string): string | undefined {
  if (!tree.isFolder(path)) return undefined;
  const { name, browser, main, module } = tree.manifest(path) ?? {};
  const built = BROWSER_BUILDS.has(name) ? asMain(tree, path, browser) : undefined;
  if (built !== undefined) return built;
  // Node does not use `module`; a package that has nothing else is meant for bundlers.
  return asMain(tree, path, main) ?? asFile(tree, `${path}/index`) ?? asMain(tree, path, module);
}

function asMain(tree: FileTree, folder: string, main: unknown): string | undefined {
  if (typeof main !== "string" || main === "") return undefined;
  const target = joined(`${folder}/`, main);
  return asFile(tree, target) ?? asFile(tree, `${target}/index`);
}

/** The nearest folder with a manifest; packages end at the next `node_modules`. */
function scopeOf(tree: FileTree, path: string): string | undefined {
  for (const folder of foldersAbove(path)) {
    if (folder.endsWith("node_modules")) return undefined;
    if (tree.manifest(folder) !== undefined) return folder;
  }
  return undefined;
}

function ancestors(path: string): string[] {
  return foldersAbove(path).filter((folder) => !/(?:^|\/)node_modules$/.test(folder));
}

function foldersAbove(path: string): string[] {
  const segments = path.split("/").slice(0, -1);
  const folders = segments.map((_, index) => segments.slice(0, index + 1).join("/"));
  return [...folders.toReversed(), ""];
}

function under(folder: string, path: string): string {
  return folder === "" ? path : `${folder}/${path}`;
}

function firstOf<T, U>(items: T[], look: (thing: T) => U | undefined): U | undefined {
  for (const thing of items) {
    const found = look(thing);
    if (found !== undefined) return found;
  }
  return undefined;
}

import { NATIVE_ADD_ON } from "#domain/unsupported-code.ts";

import type { DataFiles } from "../data-files.ts";
import type { Resolution } from "../node-resolution.ts";
import type { PackageTree } from "../package-files.ts";
import { isRelative, joined } from "../paths.ts";
import { mayOpenSockets } from "../sockets.ts";
import type { WasmModules } from "../wasm-modules.ts";
import { convert, type Converted, type Format } from "./convert.ts";
import type { Request } from "./requests.ts";

/**
 * The targets of a file's requests, by specifier: a file, a module of the runtime, or, after `!`, the reason why there
 * is none.
 */
type Links = Record<string, string>;

/** A file with its imports resolved. */
export type LinkedFile = {
  path: string;
  format: Format;
  code: string;
  requires: Links;
  imports: Links;
};

/** The files gathered so far. */
export type Gathered = {
  /** The runtime's modules, and the WebAssembly, that files import. */
  modules: Set<string>;
  mayConnect: boolean;
  /** The format of a file, and the names that it exports as an ES module. */
  exportsOf: (path: string) => { format: Format; names: string[] };
};

type Packages = { tree: PackageTree; wasm: WasmModules; data: DataFiles; client: string };

type Exports = { format: Format; names: string[]; stars: string[] };

/** The prefix of a WebAssembly module among links. */
export const WASM = "wasm:";

/** Collect files of packages and all files that they lead to, each once, in an order that depends on them alone. */
export async function gather(
  entries: readonly string[],
  packages: Packages,
  take: (file: LinkedFile) => Promise<void>,
): Promise<Gathered> {
  const modules = new Set<string>();
  const exported = new Map<string, Exports>();
  let mayConnect = false;
  const seen = new Set(entries);
  for (let level = [...seen]; level.length > 0;) {
    const below = new Set<string>();
    for await (const converted of convert(level, packages.tree, packages.client)) {
      const { file, more } = await linked(converted, packages);
      exported.set(file.path, exportsOf(converted, file));
      const targets = [...Object.values(file.requires), ...Object.values(file.imports)];
      for (const target of [...targets, ...more]) {
        if (target.startsWith("node_modules/")) below.add(target);
        else if (!target.startsWith("!")) modules.add(target);
      }
      await packages.data.add(file.path, file.code);
      mayConnect ||= mayOpenSockets(file.path, file.code, targets);
      await take(file);
    }
    level = [...below].filter((path) => !seen.has(path));
    for (const path of level) seen.add(path);
  }
  return {
    modules,
    mayConnect,
    exportsOf: (path) => ({
      format: exported.get(path)?.format ?? "cjs",
      names: [...namesOf(path, exported, new Set())],
    }),
  };
}

async function linked(
  { path, format, code, requests }: Converted,
  packages: Packages,
): Promise<{ file: LinkedFile; more: string[] }> {
  const file: LinkedFile = { path, format, code, requires: {}, imports: {} };
  const more: string[] = [];
  const look = async (request: Request): Promise<void> => {
    if ("prefix" in request) more.push(...matching(path, request, packages.tree));
    else {
      const links = request.kind === "import" ? file.imports : file.requires;
      links[request.specifier] = await targetOf(request.specifier, { path, request, packages });
    }
  };
  // Together, so that packages are fetched in parallel.
  await Promise.all(requests.map(look));
  return {
    file: { ...file, requires: sorted(file.requires), imports: sorted(file.imports) },
    more,
  };
}

/** The candidates for a name that is computed at run time: a file, with or without its extension, or a folder. */
function matching(
  path: string,
  { prefix, suffix }: { prefix: string; suffix: string },
  tree: PackageTree,
): string[] {
  const folder = joined(path, prefix.slice(0, prefix.lastIndexOf("/") + 1));
  const start = `${folder}/${prefix.slice(prefix.lastIndexOf("/") + 1)}`;
  const isMeant = /^[^/]*(?:\.[cm]?js|\.json|\/index\.js)$/;
  return tree
    .matching(start, "")
    .filter((file) => isMeant.test(file.slice(start.length)))
    .filter((file) =>
      [file, file.replace(/(?:\/index)?\.\w+$/, "")].some((name) => name.endsWith(suffix)),
    );
}

async function targetOf(
  specifier: string,
  { path, request, packages }: { path: string; request: Request; packages: Packages },
): Promise<string> {
  if (specifier === "cloudflare:sockets") return specifier;
  const kind = request.kind === "import" ? "import" : "require";
  const resolved = await packages.tree.resolve(specifier, { importer: path, kind });
  return await targetIn(resolved, { specifier, path, wasm: packages.wasm });
}

async function targetIn(
  resolved: Resolution,
  { specifier, path, wasm }: { specifier: string; path: string; wasm: WasmModules },
): Promise<string> {
  if ("builtin" in resolved) return resolved.builtin;
  const from = `which "${plain(path)}" imports`;
  const target = "path" in resolved ? resolved.path : specifier;
  if (target.endsWith(".node")) return `!"${plain(target)}", ${from}, ${NATIVE_ADD_ON}`;
  if ("failure" in resolved) return `!${absence(resolved.failure, specifier)}, ${from}`;
  return target.endsWith(".wasm") ? WASM + (await wasm.add(target)) : target;
}

function absence(failure: string, specifier: string): string {
  return isRelative(specifier) ? `Cannot find module "${specifier}"` : failure;
}

function exportsOf({ format, names, stars }: Converted, { imports }: LinkedFile): Exports {
  return { format, names, stars: stars.map((star) => imports[star] ?? "") };
}

function namesOf(
  path: string,
  exported: ReadonlyMap<string, Exports>,
  seen: Set<string>,
): Set<string> {
  if (seen.has(path)) return new Set();
  seen.add(path);
  const { names = [], stars = [] } = exported.get(path) ?? {};
  const all = new Set(names);
  for (const star of stars)
    for (const name of namesOf(star, exported, seen)) if (name !== "default") all.add(name);
  return all;
}

/** Sorted by name: the same files give the same set. */
function sorted(links: Links): Links {
  return Object.fromEntries(Object.entries(links).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** A path without internal marks: `pkg/lib/file.js`. */
function plain(path: string): string {
  return path.replace(/^.*node_modules\//s, "");
}

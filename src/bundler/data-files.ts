import { DATA_FOLDER } from "#sandbox/data-files.ts";

import type { PackageTree } from "./package-files.ts";
import { joined } from "./paths.ts";

/** Maximum data of a set of packages: each isolate that runs it holds all of it. */
const MAX_BYTES = 8 * 2 ** 20;
const MAX_FILES = 500;

const QUOTED = String.raw`["'][^"'\\\n]*["']`;

/** Paths beside a file's code; the last group is not empty if more is added at run time. */
const PATHS = [
  // `path.join(__dirname, "data", "names.json")`
  new RegExp(String.raw`\b(?:join|resolve)\)?\(\s*__dirname((?:\s*,\s*${QUOTED})+)\s*(,?)`, "g"),
  // `__dirname + "/names.json"`
  new RegExp(String.raw`\b__dirname\s*\+\s*(${QUOTED})\s*(\+?)`, "g"),
  // `${__dirname}/names.json` in a template
  /\$\{__dirname\}([^`$\\]*)(\$?)/g,
  new RegExp(String.raw`\bnew URL\(\s*(${QUOTED}),\s*(?:import\.meta\.url|moduleUrl)\s*(,?)`, "g"),
  new RegExp(String.raw`\brequire\.resolve\(\s*(${QUOTED})\s*(,?)`, "g"),
];

/** Files that are code or about code: a folder has them beside its data, and one of them is data only if it is read. */
const CODE = /\.(?:[cm]?[jt]sx?|map|md|flow)$/i;

/** The data of a set of packages: files that their code reads at run time, by paths that are known from its text. */
export class DataFiles {
  readonly #tree: PackageTree;
  readonly #modules: Record<string, string> = {};
  #bytes = 0;

  constructor(tree: PackageTree) {
    this.#tree = tree;
  }

  /** Add the files that a file reads, as far as there is room. Returns whether it reads any. */
  async add(path: string, text: string): Promise<boolean> {
    if (!/__dirname|import\.meta|moduleUrl|require\.resolve/.test(text)) return false;
    const paths = new Set(pathsIn(text).flatMap((reading) => filesAt(this.#tree, path, reading)));
    for (const file of paths) await this.#take(file);
    return paths.size > 0;
  }

  /** Base64 by name. */
  modules(): Record<string, string> {
    return Object.fromEntries(
      Object.entries(this.#modules).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  }

  async #take(path: string): Promise<void> {
    const name = DATA_FOLDER + path;
    if (Object.hasOwn(this.#modules, name)) return;
    if (Object.keys(this.#modules).length === MAX_FILES) return;
    const bytes = new Uint8Array(await this.#tree.read(path));
    if (this.#bytes + bytes.length > MAX_BYTES) return;
    this.#bytes += bytes.length;
    this.#modules[name] = bytes.toBase64();
  }
}

/** A path beside a file. `isWhole`: nothing is added to it; `isRead`: code that reads a file names it. */
type Reading = { path: string; isWhole: boolean; isRead: boolean };

function pathsIn(text: string): Reading[] {
  const plain = text.replaceAll("import.meta.dirname", "__dirname");
  return PATHS.flatMap((pattern) =>
    [...plain.matchAll(pattern)].flatMap(({ 0: whole, 1: named = "", 2: more, index }) => {
      const before = plain.slice(Math.max(0, index - 80), index);
      // A module by a path is required, and the compiler finds it.
      if (/\brequire\(\s*(?:path\.)?$/.test(before)) return [];
      const parts = whole.startsWith("$")
        ? [named]
        : [...named.matchAll(/["']([^"']*)["']/g)].map(([, part = ""]) => part);
      return [{ path: parts.join("/"), isWhole: !more, isRead: /read|open/i.test(before) }];
    }),
  );
}

/** The files of a package that a path can mean: one file, the data of a folder, or what begins with it. */
function filesAt(
  tree: PackageTree,
  importer: string,
  { path, isWhole, isRead }: Reading,
): string[] {
  const target = joined(importer, `./${path}`) + (!isWhole && path.endsWith("/") ? "/" : "");
  // Which other packages are loaded depends on the order of imports.
  const packageFolder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+\//s.exec(importer)?.[0] ?? "";
  if (!target.startsWith(packageFolder)) return [];
  return tree.matching(target, "").filter((file) => {
    if (file.endsWith(".node")) return false;
    if (file === target) return isRead || !CODE.test(file);
    const isBelow = isWhole ? file.startsWith(`${target}/`) : true;
    return isBelow && isFolderOfData(target) && !CODE.test(file);
  });
}

/** A package as a whole, and a folder of packages, are none. */
function isFolderOfData(path: string): boolean {
  return !/node_modules\/(?:@[^/]*\/?)?[^/]*\/?$/.test(path);
}

/** Matches directives at the start of code, and comments before and between them. */
const PROLOGUE =
  /^(?:\uFEFF|#![^\n]*|\s|;|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|(?:"[^"\n]*"|'[^'\n]*')(?=\s*[;\n]))*/;

/** Code that knows its own place, as in Node: the compiler gives the same one to all files. */
export function placed(path: string, text: string): string {
  const folder = JSON.stringify(`/${path.slice(0, path.lastIndexOf("/"))}`);
  const url = JSON.stringify(`file:///${path}`);
  const resolved = text
    .replaceAll(/\bimport\.meta\.url\b/g, url)
    .replaceAll(/\bimport\.meta\.dirname\b/g, folder)
    .replaceAll(/\brequire\.resolve\(\s*["'](\.{1,2}\/[^"'\n]+)["']\s*\)/g, (whole, name: string) =>
      CODE.test(name) ? whole : JSON.stringify(`/${joined(path, name)}`),
    );
  if (!/\b__dirname\b/.test(resolved) || /\b(?:const|let|var)\s+__dirname\b/.test(resolved))
    return resolved;
  const start = PROLOGUE.exec(resolved)?.[0].length ?? 0;
  return `${resolved.slice(0, start)}var __dirname = ${folder};${resolved.slice(start)}`;
}

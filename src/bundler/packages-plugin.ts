import { Buffer } from "node:buffer";

import type { OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";

import { NATIVE_ADD_ON } from "#domain/unsupported-code.ts";

import { type DataFiles, placed } from "./data-files.ts";
import { marked, unmarked } from "./esm-mark.ts";
import { isEsm, type ImportKind } from "./node-resolution.ts";
import type { PackageTree } from "./package-files.ts";
import { Uncompilable } from "./refusal.ts";
import type { SloppyFiles } from "./sloppy.ts";
import { loaderOf } from "./user-files.ts";
import type { WasmModules } from "./wasm-modules.ts";

/** `require(__dirname + "/x.js")`, also through `path.join`: a file by a known path. */
const BY_PATH =
  /\brequire\(\s*(?:path\.(?:join|resolve)\(\s*)?__dirname\s*[+,]\s*(["'])\/?([^"'\n]+)\1\s*\)?\s*\)/g;

/** The import of CommonJS in an ES module, which the compiler does not follow. */
const REQUIRING = "createRequire(import.meta.url)";

/**
 * `require("./x/" + name)` and `import(`./x/${name}.js`)`: a file with a name that is computed at run time. The
 * compiler would search folders for all candidates, and there are none.
 */
const PUT_TOGETHER =
  /\b(import|require)\((?=\s*(?:`\.{1,2}\/[^`]*\$\{|(["'])\.{1,2}\/[^"'\n]*\2\s*\+))/g;
const MAY_BE_PUT_TOGETHER = ["(`.", '("./', "('./", '("../', "('../"];

type Installed = {
  tree: PackageTree;
  wasmModules: WasmModules;
  data: DataFiles;
  sloppy: SloppyFiles;
};

/** The errors of files that do not parse, by path. */
export type UnparsedFiles = ReadonlyMap<string, string>;

/**
 * Serves installed packages to the compiler. Entry points are paths of files. Those that do not parse throw when they
 * are loaded.
 */
export function packageFiles(installed: Installed, unparsed: UnparsedFiles): Plugin {
  return {
    name: "package-files",
    setup(build) {
      build.onResolve({ filter: /./ }, (args) => resolve(installed, args));
      build.onLoad({ filter: /./, namespace: "npm" }, ({ path }) => {
        const error = unparsed.get(unmarked(path));
        return error === undefined
          ? load(installed, unmarked(path))
          : { contents: throwing(error) };
      });
      build.onLoad({ filter: /./, namespace: "absent" }, ({ path }) => ({
        contents: `throw Object.assign(new Error(${JSON.stringify(path)}), { code: "MODULE_NOT_FOUND" });`,
      }));
    },
  };
}

/** A CommonJS module that throws a SyntaxError: importers may name any exports of it. */
export function throwing(message: string): string {
  return `module.exports = {}; throw new SyntaxError(${JSON.stringify(message)});`;
}

async function resolve(
  { tree, wasmModules }: Installed,
  args: OnResolveArgs,
): Promise<OnResolveResult> {
  const { path: specifier, kind } = args;
  if (kind === "entry-point") return { path: identified(tree, specifier), namespace: "npm" };
  const importer = unmarked(args.importer);
  const resolved = await tree.resolve(specifier, { importer, kind: kindOf(kind) });
  if ("builtin" in resolved) return { path: resolved.builtin, external: true };
  const target = "path" in resolved ? resolved.path : specifier;
  if (target.endsWith(".node")) return absent("require-call", native(target, importer));
  if ("failure" in resolved)
    return absent(kind, `${resolved.failure}, which "${plain(importer)}" imports`);
  if (target.endsWith(".wasm")) return { path: await wasmModules.add(target), external: true };
  return { path: identified(tree, target), namespace: "npm" };
}

/** The error that Node would throw when the code runs: most such code expects it. A static import cannot wait. */
function absent(kind: OnResolveArgs["kind"], text: string): OnResolveResult {
  return kind === "import-statement" ? { errors: [{ text }] } : { path: text, namespace: "absent" };
}

function native(path: string, importer: string): string {
  return `"${plain(path)}", which "${plain(importer)}" imports, ${NATIVE_ADD_ON}`;
}

async function load({ tree, data, sloppy }: Installed, path: string): Promise<OnLoadResult> {
  const bytes = await tree.read(path);
  const loader = loaderOf(path);
  if (loader !== "js") return { contents: bytes, loader };
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (buffer.includes(REQUIRING))
    throw new Uncompilable(`${plain(path)} creates its own "require"`);
  const text = buffer.toString();
  const code = (await data.add(path, text)) ? placed(path, text) : text;
  const linked = isEsm(tree, path) ? undefined : sloppy.linked(path, code);
  if (linked !== undefined) return { contents: linked, loader };
  return { contents: withoutPaths(code === text ? buffer : Buffer.from(code)), loader };
}

function withoutPaths(buffer: Buffer): string | Uint8Array {
  const isByPath = buffer.includes("__dirname");
  if (!isByPath && !MAY_BE_PUT_TOGETHER.some((text) => buffer.includes(text))) return buffer;
  // With an operator before the path the compiler does not see a pattern; nothing else changes.
  const text = buffer.toString().replaceAll(PUT_TOGETHER, "$1([][0] || ");
  return isByPath ? text.replaceAll(BY_PATH, "require($1./$2$1)") : text;
}

function kindOf(kind: OnResolveArgs["kind"]): ImportKind {
  return kind === "require-call" || kind === "require-resolve" ? "require" : "import";
}

function identified(tree: PackageTree, path: string): string {
  return isEsm(tree, path) ? marked(path) : path;
}

/** A path without internal marks: `pkg/lib/file.js`. */
function plain(path: string): string {
  return path.replace(/^.*node_modules\//s, "");
}

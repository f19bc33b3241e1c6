import type { Loader, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";

import type { SourceFiles } from "../services/context.ts";
import { marked, unmarked } from "./esm-mark.ts";
import { candidates, isRelative, joined } from "./paths.ts";

const LOADERS: Record<string, Loader> = {
  json: "json",
  ts: "ts",
  mts: "ts",
  cts: "ts",
};

/**
 * Serves the files that were sent: the entry as the module's default export, and what it imports relatively.
 * `modules` are those known to be ES modules by what is written in them.
 */
export function userFiles(sent: SourceFiles, modules: ReadonlySet<string>): Plugin {
  const { entry, files } = sent;
  return {
    name: "user-files",
    setup(build) {
      build.onResolve({ filter: /^entry:$/ }, () => ({ path: "component", namespace: "entry" }));
      build.onLoad({ filter: /./, namespace: "entry" }, () => ({
        contents: `export { default } from ${JSON.stringify(`/${entry}`)};`,
      }));
      build.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({
        errors: [{ text: `"${path}" belongs to the platform and cannot be imported` }],
      }));
      build.onResolve({ filter: /^\.{0,2}(?:\/|$)/ }, (args) => resolveFile(args, files, modules));
      build.onLoad({ filter: /./, namespace: "user" }, ({ path }) => ({
        contents: files[unmarked(path)] ?? "",
        loader: loaderOf(path),
      }));
    },
  };
}

/** How the compiler is to read a file, by its ending. */
export function loaderOf(path: string): Loader {
  return LOADERS[path.slice(path.lastIndexOf(".") + 1)] ?? "js";
}

function resolveFile(
  { path: specifier, importer, namespace }: OnResolveArgs,
  files: SourceFiles["files"],
  modules: ReadonlySet<string>,
): OnResolveResult | undefined {
  if (namespace.startsWith("package") || !isRelative(specifier)) return undefined;
  const path = candidates(joined(unmarked(importer), specifier)).find((name) =>
    Object.hasOwn(files, name),
  );
  if (path !== undefined) {
    return { path: modules.has(path) ? marked(path) : path, namespace: "user" };
  }
  return {
    errors: [{ text: `There is no file "${specifier}", which "${unmarked(importer)}" imports` }],
  };
}

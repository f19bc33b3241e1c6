import type { Loader, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";

import type { SourceFiles } from "./contract.ts";
import { marked, unmarked } from "./esm-mark.ts";
import { candidates, isRelative, joined } from "./paths.ts";
import type { SloppyFiles } from "./sloppy.ts";
import { TokenCount, TOO_MANY_TOKENS } from "./tokens.ts";

/** Maximum code of one component: the compiler takes many times its size of an isolate's memory. */
const MAX_CODE_BYTES = 3 * 2 ** 20;

const LOADERS: Record<string, Loader> = {
  json: "json",
  ts: "ts",
  mts: "ts",
  cts: "ts",
};

/**
 * `eval("name =" + text)` as a statement. Only the runtime's own `eval` could assign to a name around it: ours returns
 * the value of a text that begins with `=`.
 */
const ASSIGNED_BY_EVAL = /(^|[;{}])([ \t]*)eval\(\s*(["'])\s*([A-Za-z_$][\w$]*)\s*=\s*\3\s*\+/gm;

const TOO_MUCH_CODE = `The imported files have more than ${MAX_CODE_BYTES / 2 ** 20} MB of code`;

/**
 * Serves the sent files: the entry as the module's default export, and its relative imports. `modules`: files that are
 * ES modules by their content.
 */
export function userFiles(
  sent: SourceFiles,
  modules: ReadonlySet<string>,
  sloppy: SloppyFiles,
): Plugin {
  const { entry, files } = sent;
  const encoder = new TextEncoder();
  const tokens = new TokenCount();
  let codeBytes = 0;
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
      build.onLoad({ filter: /./, namespace: "user" }, ({ path }) => {
        const code = withoutAssigningEval(files[unmarked(path)] ?? "");
        const contents = encoder.encode(code);
        codeBytes += contents.length;
        if (codeBytes > MAX_CODE_BYTES) return { errors: [{ text: TOO_MUCH_CODE }] };
        const loader = loaderOf(path);
        if (loader !== "json" && !tokens.admits(code))
          return { errors: [{ text: TOO_MANY_TOKENS }] };
        // Marked paths are those of ES modules.
        const linked = /\.c?js$/.test(path) ? sloppy.linked(path, code) : undefined;
        return { contents: linked ?? contents, loader };
      });
    },
  };
}

function withoutAssigningEval(code: string): string {
  return code.includes("eval(") ? code.replaceAll(ASSIGNED_BY_EVAL, '$1$2$4 = eval("=" +') : code;
}

/** The compiler's loader for a file, by its extension. */
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

import type { Plugin } from "esbuild-wasm";

import { BEFORE_FILE } from "#sandbox/own-files.ts";

import { MAX_CHECKED_CHARACTERS, syntaxErrorIn } from "./syntax.ts";
import { isEsmSyntax } from "./unbundled/esm-syntax.ts";
import type { Request } from "./unbundled/requests.ts";
import { loosely, scan } from "./unbundled/scan.ts";

/** Matches code that begins with the directive, after comments and other directives. */
const STRICT =
  /^(?:\s|\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/|;|"(?!use strict)[^"\n]*"|'(?!use strict)[^'\n]*')*["']use strict["']/;

const AFTER = "\n};";

/**
 * CommonJS files without "use strict". A compiled ES module would make them strict, so their code becomes a CommonJS
 * module of its own, and the compiler gets a file with their imports in its place.
 */
export class SloppyFiles {
  readonly #folder: string;
  readonly #keepsLines: boolean;
  readonly #codeOf = new Map<string, string>();

  /** `keepsLines`: whether positions in stacks must be those of the files. */
  constructor(folder: string, { keepsLines = false } = {}) {
    this.#folder = folder;
    this.#keepsLines = keepsLines;
  }

  /** The file for the compiler; undefined if the compiler must take the file itself. */
  linked(path: string, text: string): string | undefined {
    const source = text.replace(/^\uFEFF?(?:#![^\n]*)?/, "");
    if (
      text.length > MAX_CHECKED_CHARACTERS - BEFORE_FILE.length - AFTER.length ||
      STRICT.test(source)
    )
      return undefined;
    const scanned = scan(source);
    if (isEsmSyntax(scanned.code)) return undefined;
    const code = BEFORE_FILE + (this.#keepsLines ? loosely(source).code : scanned.code) + AFTER;
    if (syntaxErrorIn(code) !== undefined) return undefined;
    this.#codeOf.set(path, code);
    return `require("sloppy:files").run(${JSON.stringify(path)}, module, ${linksOf(scanned.requests)});`;
  }

  /** Serves the modules to the compiler. `root`, `folder`: the paths from the generated modules to the isolate's own, and to these. */
  plugin(root: string, folder: string): Plugin {
    const loader = `${folder}sloppy.cjs`;
    return {
      name: "sloppy-files",
      setup(build) {
        build.onResolve({ filter: /^sloppy:files$/ }, ({ path }) => ({
          path,
          namespace: "sloppy",
        }));
        build.onLoad({ filter: /./, namespace: "sloppy" }, () => ({
          contents: `import { openSloppy } from "harness:"; import load from "loader:"; export const run = openSloppy(load);`,
        }));
        build.onResolve({ filter: /^(?:harness|loader):$/, namespace: "sloppy" }, ({ path }) => ({
          path: path === "loader:" ? loader : `${root}sloppy.worker.js`,
          external: true,
        }));
      },
    };
  }

  /** The modules of the files that `isUsed`, by name. */
  modules(isUsed: (path: string) => boolean = () => true): Record<string, string> {
    const used = [...this.#codeOf]
      .filter(([path]) => isUsed(path))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (used.length === 0) return {};
    const named = used.map(([path, code]): [string, string] => [
      `${this.#folder}/${path}.cjs`,
      code,
    ]);
    return {
      [`${this.#folder}/sloppy.cjs`]: "module.exports = (path) => require(`./${path}.cjs`);",
      ...Object.fromEntries(named),
    };
  }
}

function linksOf(requests: readonly Request[]): string {
  const named = (kind: Request["kind"]): string[] => [
    ...new Set(
      requests.flatMap((request) =>
        request.kind === kind && "specifier" in request ? [JSON.stringify(request.specifier)] : [],
      ),
    ),
  ];
  const links = (kind: "require" | "import"): string =>
    `{ ${named(kind)
      .map((name) => `${name}: () => ${kind}(${name})`)
      .join(", ")} }`;
  return `${links("require")}, ${links("import")}`;
}

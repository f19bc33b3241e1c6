import type { BuildOptions, BuildResult, Plugin } from "esbuild-wasm";

import { sha256Hex } from "../domain/hash.ts";
import type { Bundle } from "../sandbox/user-code.ts";
import type { Bundled, SourceFiles } from "../services/context.ts";
import { builtins } from "./builtins.ts";
import { compiler } from "./esbuild.ts";
import { issueOf, messagesOf, pathOf } from "./issues.ts";
import { userFiles } from "./user-files.ts";

/** Part of every hash: raise it when the same code is to come out as another bundle. */
const FORMAT = "1";

const OPTIONS = {
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  conditions: ["node"],
  target: "esnext",
  sourcemap: "external",
  sourcesContent: false,
  outfile: "/component.js",
  charset: "utf8",
  logLevel: "silent",
  // An ES module has neither; code that only joins them to a name must not fail for it.
  define: { __dirname: '"/"', __filename: '"/component.js"' },
} satisfies BuildOptions;

/** Make one ES module, with the component as its default export, of the files that a caller sent. */
export async function bundle(files: SourceFiles): Promise<Bundled> {
  const esbuild = await compiler();
  try {
    const built = await esbuild.build({
      ...OPTIONS,
      entryPoints: ["entry:"],
      plugins: [builtins, userFiles(files), packages],
    });
    return { ok: true, bundle: await bundleOf(built) };
  } catch (error) {
    const messages = messagesOf(error);
    if (messages === undefined) throw error;
    return { ok: false, issues: messages.map((message) => issueOf(message, files.entry)) };
  }
}

const packages: Plugin = {
  name: "packages",
  setup(build) {
    build.onResolve({ filter: /./ }, ({ path, importer }) => ({
      errors: [{ text: `The package "${path}" that "${importer}" imports cannot be resolved` }],
    }));
  },
};

async function bundleOf({ outputFiles = [] }: BuildResult): Promise<Bundle> {
  const [map, code] = outputFiles.map(({ text }) => text);
  if (map === undefined || code === undefined) throw new Error("The compiler wrote no module");
  return { hash: await sha256Hex(`${FORMAT}\n${code}`), code, map: withPlainPaths(map) };
}

/** The map with its sources named as they were sent. */
function withPlainPaths(map: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what esbuild writes as a source map is one.
  const parsed = JSON.parse(map) as { sources: string[] };
  return JSON.stringify({ ...parsed, sources: parsed.sources.map((source) => pathOf(source)) });
}

import { dirname, join } from "node:path";

import { build, type Plugin } from "esbuild";

import { authoringKit } from "../../../src/bundler/authoring-kit.ts";
import { builtins } from "../../../src/bundler/builtins.ts";
import { NODE_GLOBALS } from "../../../src/bundler/node-globals.ts";
import { parseSpecifier } from "../../../src/bundler/specifiers.ts";

/** A component with all of its imports as one module, and its source map. */
export type TestBundle = { code: string; map: string };

/** Bundle a component like a deployment, with the packages installed beside it. Throws the errors of its code. */
export async function bundleOf(path: string): Promise<TestBundle> {
  const folder = dirname(path);
  const { outputFiles } = await build({
    stdin: {
      contents: `export { default } from ${JSON.stringify(path)};`,
      resolveDir: folder,
      sourcefile: "entry",
    },
    absWorkingDir: folder,
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "esnext",
    sourcemap: "external",
    sourcesContent: false,
    outfile: join(folder, "component.js"),
    charset: "utf8",
    logLevel: "silent",
    define: NODE_GLOBALS,
    plugins: [builtins("./"), authoringKit, unversioned],
  });
  const [map, code] = outputFiles.map(({ text }) => text);
  if (map === undefined || code === undefined) throw new Error("The compiler wrote no module");
  return { code, map };
}

/** `axios@1.6`: the version is for a deployment, here the installed one is used. */
const unversioned: Plugin = {
  name: "unversioned",
  setup(bundler) {
    bundler.onResolve({ filter: /^(?:@[^/]+\/)?[^@/.][^@/]*@[^/]/ }, ({ path, ...from }) => {
      const { name, subpath } = parseSpecifier(path) ?? { name: path, subpath: "" };
      const { importer, kind, resolveDir } = from;
      return bundler.resolve(name + subpath, { importer, kind, resolveDir });
    });
  },
};

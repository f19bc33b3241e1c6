import { builtinModules } from "node:module";

import type { Plugin, PluginBuild } from "esbuild-wasm";

const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, "")));

/** Whether a specifier means a module of Node's own, by either of its names. */
export function isBuiltin(specifier: string): boolean {
  return BUILTINS.has(specifier.replace(/^node:/, ""));
}

/**
 * Leaves Node's own modules to the runtime. An ES module cannot `require` them, so a CommonJS `require("events")`
 * becomes a small CommonJS module over a small ES module that imports it: only both together give `require`
 * the very value that Node gives, so that a class may extend it and its members may be taken apart.
 */
export const builtins: Plugin = {
  name: "builtins",
  setup(build) {
    resolveBuiltins(build);
    build.onLoad({ filter: /^node:/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    build.onLoad({ filter: /^node:/, namespace: "builtin-bridge" }, ({ path }) => ({
      contents: `import * as module from ${JSON.stringify(path)}; export default module.default ?? module;`,
    }));
  },
};

function resolveBuiltins(build: PluginBuild): void {
  build.onResolve({ filter: /^[a-z]/ }, ({ path: specifier, kind, namespace }) => {
    if (!isBuiltin(specifier)) return;
    const path = `node:${specifier.replace(/^node:/, "")}`;
    if (namespace === "builtin") return { path, namespace: "builtin-bridge" };
    if (kind === "require-call") return { path, namespace: "builtin" };
    return { path, external: true };
  });
}

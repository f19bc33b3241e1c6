import { builtinModules } from "node:module";

import type { Plugin, PluginBuild } from "esbuild-wasm";

import type { SocketImports } from "./sockets.ts";

const BUILTINS = new Set(builtinModules.map((name) => name.replace(/^node:/, "")));

/**
 * Modules of the harness that replace Node's: files and timers belong to a run, and requests are sent as Node sends
 * them.
 */
export const STAND_INS: Readonly<Record<string, string>> = {
  "node:fs": "node-fs.worker.js",
  "node:fs/promises": "node-fs-promises.worker.js",
  "node:http": "node-http.worker.js",
  "node:https": "node-https.worker.js",
  "node:timers": "node-timers.worker.js",
};

/** Whether a specifier names a built-in module of Node, with or without `node:`. */
export function isBuiltin(specifier: string): boolean {
  return BUILTINS.has(specifier.replace(/^node:/, ""));
}

/**
 * Leaves Node's built-in modules to the runtime. An ES module cannot `require` them, so a CommonJS `require("events")`
 * becomes a small CommonJS module over a small ES module that imports it: only both together give `require` exactly
 * Node's value, so that a class may extend it and code may destructure it. `root`: the path from the generated modules
 * to the isolate's own; `sockets` records the importers of modules that open connections.
 */
export const builtins = (root: string, sockets?: SocketImports): Plugin => ({
  name: "builtins",
  setup(build) {
    resolveBuiltins(build, root, sockets);
    // Code cannot import other modules of the platform, and only packages can import this one.
    build.onResolve({ filter: /^cloudflare:sockets$/, namespace: "npm" }, (args) => {
      sockets?.note(args.path, args);
      return { path: args.path, external: true };
    });
    build.onLoad({ filter: /^node:/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)}).default;`,
    }));
    build.onLoad({ filter: /^node:/, namespace: "builtin-bridge" }, ({ path }) => ({
      contents: `import * as module from ${JSON.stringify(path)}; export default module.default ?? module;`,
    }));
  },
});

function resolveBuiltins(build: PluginBuild, root: string, sockets?: SocketImports): void {
  build.onResolve({ filter: /^[a-z]/ }, (args) => {
    const { path: specifier, kind, namespace } = args;
    if (!isBuiltin(specifier)) return;
    const path = `node:${specifier.replace(/^node:/, "")}`;
    if (!namespace.startsWith("builtin")) sockets?.note(path, args);
    if (namespace === "builtin") return { path, namespace: "builtin-bridge" };
    if (kind === "require-call") return { path, namespace: "builtin" };
    const standIn = STAND_INS[path];
    return { path: standIn === undefined ? path : root + standIn, external: true };
  });
}

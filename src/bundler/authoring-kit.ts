import type { Plugin } from "esbuild-wasm";

const NAMESPACE = "authoring-kit";

/** Its functions give components types, and return their argument. */
const MODULE = ["defineSource", "defineAction", "defineApp"]
  .map((name) => `export const ${name} = (component) => component;`)
  .join("\n");

/** Serves imports of `@wellspring/component`, of any version, without a request to the registry. */
export const authoringKit: Plugin = {
  name: "authoring-kit",
  setup(build) {
    build.onResolve({ filter: /^@wellspring\/component(?:@[^/]+)?$/ }, () => ({
      path: "@wellspring/component",
      namespace: NAMESPACE,
      sideEffects: false,
    }));
    build.onLoad({ filter: /./, namespace: NAMESPACE }, () => ({ contents: MODULE }));
  },
};

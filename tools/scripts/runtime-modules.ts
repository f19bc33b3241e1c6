import { registerHooks } from "node:module";

/** Exports that our modules extend or read when they load. None is called outside the Workers runtime. */
const RUNTIME = `
  class Base {}
  export { Base as DurableObject, Base as RpcTarget, Base as WorkerEntrypoint, Base as WorkflowEntrypoint };
  export const exports = {};
  export const env = {};
`;

/** Make modules for the Workers runtime load in Node, so that their definitions can be read. */
export function standInForRuntime(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier.startsWith("cloudflare:")
        ? { url: `data:text/javascript,${encodeURIComponent(RUNTIME)}`, shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url.endsWith(".worker.js")
        ? { format: "module", source: `export default "";`, shortCircuit: true }
        : next(url, context),
  });
}

import type * as Esbuild from "esbuild-wasm";

let starting: Promise<typeof Esbuild> | undefined;

/** esbuild, started at first use: an isolate that never bundles neither compiles nor holds its 14 MB. */
export function compiler(): Promise<typeof Esbuild> {
  starting ??= start().catch((error: unknown) => {
    starting = undefined;
    throw error;
  });
  return starting;
}

async function start(): Promise<typeof Esbuild> {
  const [esbuild, { default: wasmModule }] = await Promise.all([
    import("esbuild-wasm/esm/browser.js"),
    import("esbuild-wasm/esbuild.wasm"),
  ]);
  await esbuild.initialize({ wasmModule, worker: false });
  return esbuild;
}

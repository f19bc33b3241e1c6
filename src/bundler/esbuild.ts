import type * as Esbuild from "esbuild-wasm";
import type { BuildOptions, Metafile, OutputFile } from "esbuild-wasm";

/** A caller who was cut off never gives its turn back. */
const LONGEST_TURN_MS = 60_000;

export type Compiled = { outputFiles: OutputFile[]; metafile: Metafile };

let starting: Promise<typeof Esbuild> | undefined;
let turn: Promise<unknown> = Promise.resolve();

/**
 * Run one build. One at a time: an isolate has memory for one. After a `heavy` one the compiler is started anew,
 * because WebAssembly memory never shrinks by itself.
 */
export async function compile(options: BuildOptions, heavy = false): Promise<Compiled> {
  const before = turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  turn = promise;
  try {
    await Promise.race([before, scheduler.wait(LONGEST_TURN_MS)]);
    const esbuild = await compiler();
    return await esbuild.build({ ...options, metafile: true, write: false });
  } finally {
    if (heavy) await stop();
    resolve();
  }
}

async function stop(): Promise<void> {
  const esbuild = await starting;
  starting = undefined;
  await esbuild?.stop();
}

/** esbuild, started at first use: an isolate that never bundles neither compiles nor holds its 14 MB. */
function compiler(): Promise<typeof Esbuild> {
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

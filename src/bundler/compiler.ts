import type * as Esbuild from "esbuild-wasm";
import type { BuildOptions, Metafile, OutputFile } from "esbuild-wasm";

import { quickenTimers } from "./quick-timers.ts";

export type Compiled = { outputFiles: OutputFile[]; metafile: Metafile };

/** The compiler crashed, or was stopped because it took too long. Other code is not affected. */
export class CompilerFault extends Error {
  override readonly name = "CompilerFault";
}

/** The compiler was stopped because it took too long. */
export class CompilerTimeout extends CompilerFault {}

/** A running esbuild. */
export type Compiler = {
  /**
   * Run one build, one at a time. Throws a `CompilerFault` when the WebAssembly program crashes, which esbuild itself
   * never reports: its promise stays pending.
   */
  build(options: BuildOptions): Promise<Compiled>;
  /** Size of its WebAssembly memory, which never shrinks. */
  memoryBytes(): number;
  stop(): Promise<void>;
};

/** Start esbuild. Its 14 MB of WebAssembly are instantiated on first use. */
export async function startCompiler(): Promise<Compiler> {
  quickenTimers();
  const [esbuild, { default: wasmModule }] = await Promise.all([
    import("esbuild-wasm/esm/browser.js"),
    import("esbuild-wasm/esbuild.wasm"),
  ]);
  let onCrash: ((fault: CompilerFault) => void) | undefined;
  const instance = await watchedInstance(esbuild, wasmModule, (cause) => onCrash?.(faultOf(cause)));
  return {
    async build(options) {
      // Created for each build: another request's promise would be settled in that request, which may have ended.
      const { promise: crashed, reject } = Promise.withResolvers<never>();
      onCrash = reject;
      const built = esbuild.build({ ...options, metafile: true, write: false });
      try {
        return await Promise.race([built, crashed]);
      } catch (error) {
        throw settled(error);
      }
    },
    memoryBytes: () => memoryOf(instance)?.buffer.byteLength ?? 0,
    stop: () => esbuild.stop(),
  };
}

/**
 * An error with its stack read. Until then V8 keeps the frames, and through them the compiler with all of its memory:
 * esbuild defines getters on its errors, and the runtime never frees the first ones.
 */
function settled(error: unknown): unknown {
  return error instanceof Error && error.stack === undefined ? new Error(error.message) : error;
}

/**
 * Initialize esbuild and return its WebAssembly instance. esbuild instantiates its WebAssembly inside, so
 * `WebAssembly.instantiate` is replaced meanwhile.
 */
async function watchedInstance(
  esbuild: typeof Esbuild,
  wasmModule: WebAssembly.Module,
  onCrash: (cause: unknown) => void,
): Promise<WebAssembly.Instance | undefined> {
  const { instantiate } = WebAssembly;
  let started: WebAssembly.Instance | undefined;
  const watched = async (module: WebAssembly.Module, imports: WebAssembly.Imports) => {
    started = await instantiate.call(WebAssembly, module, imports);
    return reporting(started, onCrash);
  };
  Object.assign(WebAssembly, { instantiate: watched });
  try {
    await esbuild.initialize({ wasmModule, worker: false });
  } finally {
    Object.assign(WebAssembly, { instantiate });
  }
  return started;
}

/** The same instance with exported functions that report their exceptions: esbuild calls them from timers. */
function reporting(
  instance: WebAssembly.Instance,
  onCrash: (cause: unknown) => void,
): WebAssembly.Instance {
  const exports = Object.fromEntries(
    Object.entries(instance.exports).map(([name, value]) => [
      name,
      typeof value === "function" ? reportingCall(value, onCrash) : value,
    ]),
  );
  return Object.create(instance, { exports: { value: exports } });
}

function reportingCall(call: Function, onCrash: (cause: unknown) => void) {
  return (...args: unknown[]): unknown => {
    try {
      return Reflect.apply(call, undefined, args);
    } catch (error) {
      onCrash(error);
      throw error;
    }
  };
}

function memoryOf(instance: WebAssembly.Instance | undefined): WebAssembly.Memory | undefined {
  return Object.values(instance?.exports ?? {}).find(
    (value) => value instanceof WebAssembly.Memory,
  );
}

function faultOf(cause: unknown): CompilerFault {
  const text =
    cause instanceof RangeError
      ? "The compiler ran out of stack on this code: nest it less deeply, or split it into files"
      : "The compiler crashed on this code";
  return new CompilerFault(text, { cause });
}

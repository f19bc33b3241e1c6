import type { BuildOptions } from "esbuild-wasm";

import { withTimeout } from "#domain/timeout.ts";

import { beginBuild } from "./build-notes.ts";
import {
  type Compiled,
  type Compiler,
  CompilerFault,
  CompilerTimeout,
  startCompiler,
} from "./compiler.ts";
import { FairQueue, QueueFull } from "./fair-queue.ts";

export type { Compiled } from "./compiler.ts";

/** Timeouts for a build of a caller's files, and for one of a set of packages. */
export const FILES_LIMIT_MS = 10_000;
export const PACKAGES_LIMIT_MS = 60_000;

/** Above this, its memory is worth the 80 ms that a new compiler takes to start. */
const MAX_IDLE_MEMORY_BYTES = 24 * 2 ** 20;

/** The client of a build, and its timeout. */
export type BuildTerms = { client: string; limitMs: number };

const queue = new FairQueue();
let running: Compiler | undefined;

/**
 * Run one build at a time: an isolate has memory for one, and clients take turns. Throws esbuild's error for code that
 * does not build, a `CompilerFault` if the compiler crashes or takes too long, and `QueueFull`.
 */
export function compile(options: BuildOptions, { client, limitMs }: BuildTerms): Promise<Compiled> {
  return queue.run(client, limitMs, async () => {
    const compiler = running ?? (await startCompiler());
    running = compiler;
    const end = await beginBuild(limitMs);
    try {
      return await withinLimit(compiler, options, limitMs);
    } catch (error) {
      if (error instanceof CompilerFault) await discard(compiler);
      throw error;
    } finally {
      end();
      if (compiler.memoryBytes() > MAX_IDLE_MEMORY_BYTES) await discard(compiler);
    }
  });
}

/**
 * Check that the compiler works: that it builds one line, or that builds of others are within their limits. Throws if
 * not. It does not wait in the queue: its caller would time out first.
 */
export async function probeCompiler(): Promise<void> {
  if (queue.isServing()) return;
  const stdin = { contents: "export default 1;" };
  const terms = { client: "health", limitMs: FILES_LIMIT_MS };
  await compile({ stdin, logLevel: "silent" }, terms).catch((error: unknown) => {
    if (!(error instanceof QueueFull)) throw error;
  });
}

function withinLimit(
  compiler: Compiler,
  options: BuildOptions,
  limitMs: number,
): Promise<Compiled> {
  return withTimeout(compiler.build(options), limitMs, () => {
    throw new CompilerTimeout(`The compiler took more than ${limitMs / 1000} s for this code`);
  });
}

/** WebAssembly memory never shrinks, and a crashed compiler responds to no call: the next build starts another. */
async function discard(compiler: Compiler): Promise<void> {
  if (running === compiler) running = undefined;
  await compiler.stop();
}

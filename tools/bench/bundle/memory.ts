import { execFile } from "node:child_process";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { freePort } from "../../scripts/local/ports.ts";
import type { Made } from "./memory.worker.ts";

const SAMPLE_INTERVAL_MS = 200;

/** Peak memory of an isolate while it bundled one package, in bytes. */
export type Peak = Made & Usage & { package: string; ms: number };

/** Memory in use after a garbage collection: the compiler's memory, objects, and buffers. */
type Usage = { compilerBytes: number; heapBytes: number; bufferBytes: number };

/** Bundle packages one after the other in one isolate, as a deployment does, and watch its memory. */
export async function measurePeaks(packages: string[], registry: string): Promise<Peak[]> {
  const dir = await buildWorker();
  const inspectorPort = await freePort();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: "bench",
      rootPath: dir,
      modules: await modulesIn(dir),
      compatibilityDate: "2026-10-01",
      compatibilityFlags: ["nodejs_compat"],
      r2Buckets: ["CODE"],
      bindings: { NPM_REGISTRY_URL: registry },
      inspectorPort,
      log: new Log(LogLevel.ERROR),
    }),
  );
  await miniflare.ready;
  const awake = new AbortController();
  const { signal } = awake;
  void miniflare.dispatchFetch("http://bench/awake", { signal }).catch(() => {});
  const watch = await watchMemory(inspectorPort);
  const peaks: Peak[] = [];
  for (const name of packages) {
    const startedAt = performance.now();
    watch.restart();
    const body = `import * as it from ${JSON.stringify(name)}; export default { it };`;
    const response = await miniflare.dispatchFetch("http://bench/", { method: "POST", body });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own Worker answers.
    const made = (await response.json()) as Made;
    const ms = performance.now() - startedAt;
    peaks.push({ package: name, ms, ...made, ...watch.peak() });
  }
  await watch.stop();
  awake.abort();
  await miniflare.dispose();
  return peaks;
}

/** The total memory of an isolate. */
export function totalOf({ compilerBytes, heapBytes, bufferBytes }: Usage): number {
  return compilerBytes + heapBytes + bufferBytes;
}

async function buildWorker(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "bench-bundle-"));
  const wrangler = "node_modules/wrangler/bin/wrangler.js";
  const config = ["--config", "tools/bench/bundle/wrangler.toml", "--outdir", dir];
  await promisify(execFile)(process.execPath, [wrangler, "deploy", "--dry-run", ...config]);
  return dir;
}

async function modulesIn(
  dir: string,
): Promise<{ type: "ESModule" | "CompiledWasm"; path: string }[]> {
  const names = await readdir(dir);
  return [
    ...names
      .filter((name) => name.endsWith(".js"))
      .map((path) => ({ type: "ESModule" as const, path })),
    ...names
      .filter((name) => name.endsWith(".wasm"))
      .map((path) => ({ type: "CompiledWasm" as const, path })),
  ];
}

/** Query the isolate's debugger repeatedly for the memory in use after garbage collection. */
async function watchMemory(port: number) {
  const inspector = await inspect(port);
  let peak: Usage = NOTHING;
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const askedAt = performance.now();
      const usage = await usageOf(inspector);
      if (totalOf(usage) > totalOf(peak)) peak = usage;
      // In proportion: a collection takes long in a busy isolate, and would leave it no time for its work.
      await setTimeout(Math.max(SAMPLE_INTERVAL_MS, 2 * (performance.now() - askedAt)));
    }
  })();
  return {
    restart: () => (peak = NOTHING),
    peak: () => peak,
    async stop() {
      stopping.abort();
      await watching;
      inspector.close();
    },
  };
}

const NOTHING: Usage = { compilerBytes: 0, heapBytes: 0, bufferBytes: 0 };

async function usageOf({ send, contextId }: Inspector): Promise<Usage> {
  await send("HeapProfiler.collectGarbage");
  // A Worker has no default context for evaluation.
  const evaluated = await send("Runtime.evaluate", { expression: "compilerBytes()", contextId });
  const { usedSize = 0, backingStorageSize = 0 } = await send("Runtime.getHeapUsage");
  return {
    compilerBytes: evaluated.result?.value ?? 0,
    heapBytes: usedSize,
    bufferBytes: backingStorageSize,
  };
}

type Inspector = {
  send: (method: string, params?: object) => Promise<Result>;
  contextId: number;
  close: () => void;
};

type Result = { usedSize?: number; backingStorageSize?: number; result?: { value?: number } };

type Message = { id?: number; result?: Result; params?: { context?: { id: number } } };

async function inspect(port: number): Promise<Inspector> {
  const targets = await fetch(`http://127.0.0.1:${port}/json`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- per the inspector protocol.
  const list = (await targets.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const url = list.find(({ id }) => id === "core:user:bench")?.webSocketDebuggerUrl ?? "";
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener("open", resolve));

  const pending = new Map<number, (result: Result) => void>();
  const { promise: contextId, resolve: hasContext } = Promise.withResolvers<number>();
  socket.addEventListener("message", ({ data }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above.
    const { id, result, params } = JSON.parse(String(data)) as Message;
    if (params?.context !== undefined) hasContext(params.context.id);
    if (id !== undefined) pending.get(id)?.(result ?? {});
  });
  const send = (method: string, params = {}): Promise<Result> => {
    const id = pending.size + 1;
    const answered = new Promise<Result>((resolve) => pending.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    return answered;
  };
  await send("Runtime.enable");
  return { send, contextId: await contextId, close: () => socket.close() };
}

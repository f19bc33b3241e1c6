import { execFile } from "node:child_process";
import { mkdtemp, readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { freePort } from "../../scripts/local/ports.ts";
import type { Taken } from "./memory.worker.ts";

const SAMPLE_INTERVAL_MS = 50;

/** What bundling one package took of a fresh isolate, in bytes. */
export type Peak = Taken & { package: string; ms: number; heapBytes: number; bufferBytes: number };

/** Bundle each package in an isolate of its own and watch its memory. */
export async function measurePeaks(packages: string[], registry: string): Promise<Peak[]> {
  const dir = await buildWorker();
  const peaks: Peak[] = [];
  for (const name of packages) {
    peaks.push(await measurePeak(name, dir, registry));
  }
  return peaks;
}

async function buildWorker(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "bench-bundle-"));
  const wrangler = "node_modules/wrangler/bin/wrangler.js";
  const config = ["--config", "bench/bundle/wrangler.toml", "--outdir", dir];
  await promisify(execFile)(process.execPath, [wrangler, "deploy", "--dry-run", ...config]);
  return dir;
}

async function measurePeak(name: string, dir: string, registry: string): Promise<Peak> {
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
  const heap = await watchHeap(inspectorPort);
  const startedAt = performance.now();
  const body = `import * as it from ${JSON.stringify(name)}; export default { it };`;
  const response = await miniflare.dispatchFetch("http://bench/", { method: "POST", body });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own Worker answers.
  const taken = (await response.json()) as Taken;
  const ms = performance.now() - startedAt;
  const peak = heap.stop();
  await miniflare.dispose();
  return { package: name, ms, ...taken, ...peak };
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

type Usage = { usedSize: number; backingStorageSize: number };

/** Ask the isolate's debugger again and again what is in use once the garbage is gone. */
async function watchHeap(
  port: number,
): Promise<{ stop(): { heapBytes: number; bufferBytes: number } }> {
  const targets = await fetch(`http://127.0.0.1:${port}/json`);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the inspector protocol says so.
  const list = (await targets.json()) as { id: string; webSocketDebuggerUrl: string }[];
  const url = list.find(({ id }) => id === "core:user:bench")?.webSocketDebuggerUrl ?? "";
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener("open", resolve));

  let peak = { heapBytes: 0, bufferBytes: 0 };
  socket.addEventListener("message", ({ data }) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above.
    const { result } = JSON.parse(String(data)) as { result?: Partial<Usage> };
    const { usedSize: heapBytes = 0, backingStorageSize: bufferBytes = 0 } = result ?? {};
    if (heapBytes + bufferBytes > peak.heapBytes + peak.bufferBytes)
      peak = { heapBytes, bufferBytes };
  });
  const timer = setInterval(() => {
    socket.send(JSON.stringify({ id: 1, method: "HeapProfiler.collectGarbage" }));
    socket.send(JSON.stringify({ id: 2, method: "Runtime.getHeapUsage" }));
  }, SAMPLE_INTERVAL_MS);
  return {
    stop() {
      clearInterval(timer);
      socket.close();
      return peak;
    },
  };
}

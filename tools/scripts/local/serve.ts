import { readdir } from "node:fs/promises";
import { join } from "node:path";

import {
  convertV4MiniflareOptions,
  Log,
  LogLevel,
  Miniflare,
  type V4WorkerOptions,
} from "miniflare";

import type { Build, Builds } from "./build.ts";
import { readable } from "./log-lines.ts";
import { offPrivateNetworks } from "./network.ts";
import type { Settings } from "./settings.ts";

const NAME = "wellspring";

/** The settings that the bundler's Worker takes. */
export const BUNDLER_VARIABLES = new Set([
  "NPM_REGISTRY_URL",
  "NPM_TOKEN",
  "ALLOW_PRIVATE_TARGETS",
]);

const V8_FLAGS = [
  // Megabytes of old objects at which V8 first collects garbage in an isolate. By default V8 scales it with the machine's
  // memory: dozens of isolates would each keep tens of megabytes of garbage.
  "--initial-old-space-size=4",
  // V8 drops the code of WebAssembly when any isolate collects garbage, so the compiler would be compiled again for most builds.
  "--no-flush-liftoff-code",
].join(" ");

/** Serve builds on the runtime that Cloudflare runs, with their storage in the state folder. */
export async function serve(
  { platform, bundler }: Builds,
  { port, stateDir, variables }: Settings,
): Promise<Miniflare> {
  const bundling = Object.entries(variables).filter(([name]) => BUNDLER_VARIABLES.has(name));
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= V8_FLAGS;
  const workers = [
    // Past Miniflare's entry, which would obey headers and serve paths of its own to anybody, and takes time for each request.
    {
      ...(await workerOf(NAME, platform, variables)),
      unsafeDirectSockets: [{ host: "127.0.0.1", port }],
    },
    await workerOf("wellspring-bundler", bundler, Object.fromEntries(bundling)),
  ];
  const isOpen = variables["ALLOW_PRIVATE_TARGETS"] === "true";
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: isOpen ? workers : offPrivateNetworks(workers),
      host: "127.0.0.1",
      // Where `wrangler dev` looks as well.
      resourcePersistencePath: join(stateDir, "v3"),
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      handleStructuredLogs: (entry) => {
        const text = readable(entry);
        if (text !== undefined) console.error(text);
      },
    }),
  );
  await miniflare.ready;
  return miniflare;
}

/** A build as one of the Workers of a runtime. */
export async function workerOf(
  name: string,
  { dir, options }: Build,
  variables: Record<string, string>,
): Promise<V4WorkerOptions> {
  return {
    ...options,
    name,
    rootPath: dir,
    modules: await modulesIn(dir),
    bindings: { ...options.bindings, ...variables },
  };
}

async function modulesIn(dir: string) {
  const names = (await readdir(dir)).filter((name) => /\.(js|wasm)$/.test(name));
  // The main module comes first.
  return names
    .toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)))
    .map((name) => ({ type: moduleType(name), path: name }));
}

function isMain(name: string): boolean {
  return name === "index.js" || name === "bundler-worker.js";
}

function moduleType(name: string): "ESModule" | "Text" | "CompiledWasm" {
  if (name.endsWith(".wasm")) return "CompiledWasm";
  return name.endsWith(".worker.js") ? "Text" : "ESModule";
}

import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import type { Build } from "./build.ts";
import { readable } from "./log-lines.ts";
import type { Settings } from "./settings.ts";

/** Serve a build on the runtime that Cloudflare runs, with its storage in the state folder. */
export async function serve(
  { dir, options }: Build,
  { port, stateDir, variables }: Settings,
): Promise<Miniflare> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      ...options,
      name: "wellspring",
      rootPath: dir,
      modules: await modulesIn(dir),
      bindings: { ...options.bindings, ...variables },
      host: "127.0.0.1",
      port,
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

async function modulesIn(dir: string) {
  const names = (await readdir(dir)).filter((name) => /\.(js|wasm)$/.test(name));
  // The main module comes first.
  return names
    .toSorted((a, b) => Number(b === "index.js") - Number(a === "index.js"))
    .map((name) => ({ type: moduleType(name), path: name }));
}

function moduleType(name: string): "ESModule" | "Text" | "CompiledWasm" {
  if (name.endsWith(".wasm")) return "CompiledWasm";
  return name.endsWith(".worker.js") ? "Text" : "ESModule";
}

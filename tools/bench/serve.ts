import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { guardRuntime } from "../scripts/local/guard.ts";

type Options = {
  name: string;
  workflows?: Record<string, { name: string; className: string }>;
  durableObjects?: Record<string, { className: string; useSQLite: boolean }>;
};

/** Serve `worker.js` of a folder like the platform, so that only the Worker differs. Ends with its parent. */
export async function serveWorker(folder: string, options: Options): Promise<void> {
  guardRuntime();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: folder,
      modules: [{ type: "ESModule", path: "worker.js" }],
      compatibilityDate: "2026-10-01",
      host: "127.0.0.1",
      port: Number(process.env["PORT"]),
      resourcePersistencePath: join(String(process.env["STATE_DIR"]), "v3"),
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      ...options,
    }),
  );
  await miniflare.ready;
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
}

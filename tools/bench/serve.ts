import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { openFront } from "../scripts/local/front.ts";
import { guardRuntime } from "../scripts/local/guard.ts";
import { freePort } from "../scripts/local/ports.ts";
import { TrustedProxies } from "../scripts/local/trusted-proxies.ts";

type Options = {
  name: string;
  workflows?: Record<string, { name: string; className: string }>;
  durableObjects?: Record<string, { className: string; useSQLite: boolean }>;
};

/**
 * Serve `worker.js` of a folder like the platform, behind the same proxy, so that only the Worker differs. Ends with its
 * parent.
 */
export async function serveWorker(folder: string, options: Options): Promise<void> {
  guardRuntime();
  const runtimePort = await freePort();
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      rootPath: folder,
      modules: [{ type: "ESModule", path: "worker.js" }],
      compatibilityDate: "2026-10-01",
      host: "127.0.0.1",
      port: runtimePort,
      resourcePersistencePath: join(String(process.env["STATE_DIR"]), "v3"),
      log: new Log(LogLevel.ERROR),
      logRequests: false,
      ...options,
    }),
  );
  await miniflare.ready;
  const port = Number(process.env["PORT"]);
  await openFront({ host: "127.0.0.1", port, runtimePort, proxies: new TrustedProxies() });
  process.on("disconnect", () => process.exit(0));
  process.send?.("ready");
}

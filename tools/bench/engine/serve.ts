import { join } from "node:path";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";

import { guardRuntime } from "../../scripts/local/guard.ts";

// Served the way the platform is, so that only the Worker differs.
guardRuntime();
const miniflare = new Miniflare(
  convertV4MiniflareOptions({
    name: "engine",
    rootPath: import.meta.dirname,
    modules: [{ type: "ESModule", path: "worker.js" }],
    compatibilityDate: "2026-10-01",
    workflows: { RUNS: { name: "bare-runs", className: "BareRun" } },
    host: "127.0.0.1",
    port: Number(process.env["PORT"]),
    resourcePersistencePath: join(String(process.env["STATE_DIR"]), "v3"),
    log: new Log(LogLevel.ERROR),
    logRequests: false,
  }),
);
await miniflare.ready;
process.on("disconnect", () => process.exit(0));
process.send?.("ready");

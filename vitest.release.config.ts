import { availableParallelism } from "node:os";
import { join } from "node:path";

import { defineConfig } from "vitest/config";

/** Drills of what is released: each builds it, starts whole platforms, or deploys to a fake of Cloudflare's API. */
export default defineConfig({
  test: {
    include: ["test/release/**/*.test.ts"],
    testTimeout: 120_000,
    // Some start a platform before their tests.
    hookTimeout: 120_000,
    // The tests read the files of local databases by the SQLite of Node.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // What a test logs is of interest where it failed.
    silent: "passed-only",
    // Wrangler is started hundreds of times.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".wrangler/compile-cache") },
    maxWorkers: Math.min(availableParallelism(), 4),
  },
});

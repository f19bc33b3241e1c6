import { availableParallelism } from "node:os";

import { defineConfig } from "vitest/config";

/** Drills of releases: each starts whole platforms, or deploys to a fake of Cloudflare's API. */
export default defineConfig({
  test: {
    include: ["test/release/**/*.test.ts"],
    testTimeout: 120_000,
    maxWorkers: Math.min(availableParallelism(), 4),
  },
});

import { defineConfig } from "vitest/config";

/** What a person does in a browser: real Chromium against a whole platform behind HTTPS. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What a test logs is of interest where it failed.
    silent: "passed-only",
    // Each file starts a platform of its own.
    fileParallelism: false,
  },
});

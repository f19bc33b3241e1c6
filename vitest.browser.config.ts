import { defineConfig } from "vitest/config";

/** Tests of a person in a browser: real Chromium against a whole platform behind HTTPS. */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The logs of a failed test help to explain it.
    silent: "passed-only",
    // Each file starts a platform of its own.
    fileParallelism: false,
  },
});

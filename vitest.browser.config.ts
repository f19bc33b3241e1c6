import { defineConfig } from "vitest/config";

import { LongFilesFirst, printSeed } from "./test/support/test-order.ts";
import { HANGS_AFTER_MS, POLL_TIMEOUT_MS } from "./test/support/timeouts.ts";

/** Tests of a person in a browser: real Chromium against a whole platform behind HTTPS. */
export default defineConfig({
  plugins: [printSeed()],
  test: {
    include: ["test/browser/**/*.test.ts"],
    testTimeout: HANGS_AFTER_MS,
    hookTimeout: HANGS_AFTER_MS,
    // Pages, deliveries and builds are late on a busy machine.
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    // The logs of a failed test help to explain it.
    silent: "passed-only",
    // Each file starts a platform of its own, and waits for half of its time.
    maxWorkers: 2,
    sequence: { sequencer: LongFilesFirst },
  },
});

import { availableParallelism } from "node:os";
import { join } from "node:path";

import { defineConfig } from "vitest/config";

import { testsOf } from "./test/support/suites.ts";
import { LongFilesFirst, printSeed, RANDOM_ORDER } from "./test/support/test-order.ts";
import { HANGS_AFTER_MS, POLL_TIMEOUT_MS } from "./test/support/timeouts.ts";
import { TMPDIR, worker } from "./vitest.config.ts";

const MAX_WORKERS = Math.min(availableParallelism(), 4);

/** Each builds what is released, starts whole platforms, or deploys to a fake of Cloudflare's API. */
const release = {
  test: {
    name: "release",
    include: ["test/release/**/*.test.ts"],
    testTimeout: HANGS_AFTER_MS,
    // Some start a platform before their tests.
    hookTimeout: HANGS_AFTER_MS,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    globalSetup: ["./test/support/built-packages.ts"],
    setupFiles: ["./test/support/own-v8-flags.ts"],
    // The tests read the files of local databases by the SQLite of Node.
    execArgv: ["--disable-warning=ExperimentalWarning"],
    // Wrangler is started hundreds of times.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".wrangler/compile-cache"), TMPDIR },
    // They wait for processes, restarts and timeouts more than they compute.
    maxWorkers: MAX_WORKERS + 1,
  },
};

const drills = worker("drills", testsOf("release"));

/** Drills of releases. Those in the runtime come last; they compute all the time, so each has a core. */
export default defineConfig({
  plugins: [printSeed()],
  test: {
    sequence: { ...RANDOM_ORDER, sequencer: LongFilesFirst },
    projects: [
      release,
      {
        ...drills,
        test: {
          ...drills.test,
          testTimeout: HANGS_AFTER_MS,
          expect: { poll: { timeout: POLL_TIMEOUT_MS } },
          maxWorkers: MAX_WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    // The logs of a failed test help to explain it.
    silent: "passed-only",
  },
});

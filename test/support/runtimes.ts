import type { Plugin } from "vitest/config";
import type { PoolTask, PoolWorker } from "vitest/node";

/**
 * Maximum files of one runtime. It keeps the isolate of every component that it ran, and has 4 GB for the heaps of all:
 * four cannot hold as many as the tests have.
 */
const MAX_FILES = 45;

/** Replaces the runtime of a project's pool after so many files. */
export function replaceRuntimes(): Plugin {
  return {
    name: "replace-runtimes",
    configureVitest({ project }) {
      const { poolRunner } = project.config;
      if (!poolRunner) return;
      project.config.poolRunner = {
        ...poolRunner,
        createPoolWorker: (options) => limited(poolRunner.createPoolWorker(options)),
      };
    },
  };
}

function limited(worker: PoolWorker): PoolWorker {
  // The first file of a runtime is not among them.
  const further = new Set<PoolTask>();
  return Object.assign(worker, {
    canReuse: (task: PoolTask) => further.add(task).size < MAX_FILES,
  });
}

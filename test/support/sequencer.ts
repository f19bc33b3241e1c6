import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that wait for heartbeats, alarms, timeouts and streams more than they compute. */
const WAITING = [
  "/test/agents/event-stream.test.ts",
  "/test/api/merged-stream.test.ts",
  "/test/api/streams.test.ts",
  "/test/source/metering.test.ts",
  "/test/sandbox/quarantine.test.ts",
  "/test/workflow/pauses.test.ts",
  "/test/source/alerts.test.ts",
  "/test/bundler/fair-queue.test.ts",
  "/test/api/hanging-up.test.ts",
  "/test/source/lifetime.test.ts",
];

/** Number of computing files between two of them: files run side by side, and one of four may wait. */
const BETWEEN = 5;

/**
 * By default the files with the longest last runs come first, or the largest: those that wait would run side by side, and
 * leave the cores idle. Spreads them among the others of their project, from its beginning, so that none is the last.
 */
export class WaitingApart extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is a method of the sequencer.
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project);
    return [...byProject.values()].flatMap(spread);
  }
}

function spread(files: TestSpecification[]): TestSpecification[] {
  const { waiting = [], computing = [] } = Object.groupBy(files, ({ moduleId }) =>
    WAITING.some((name) => moduleId.endsWith(name)) ? "waiting" : "computing",
  );
  const spreadOut = waiting.flatMap((file, n) => [
    file,
    ...computing.slice(n * BETWEEN, (n + 1) * BETWEEN),
  ]);
  return [...spreadOut, ...computing.slice(waiting.length * BETWEEN)];
}

import { createHash, randomInt } from "node:crypto";
import { readFileSync } from "node:fs";

import type { Plugin } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

import { once } from "./once.ts";

/** The seed of the order of files: `TEST_SEED`, or a new one for each run. Throws unless it is a whole number. */
function chooseSeed(): number {
  const text = process.env["TEST_SEED"] ?? String(randomInt(1_000_000));
  if (!/^\d{1,9}$/.test(text)) throw new Error("TEST_SEED must be a whole number below 1000000000");
  return Number(text);
}

const seed = once("seed", chooseSeed);

/** Run files in a random order, so that none can come to depend on its predecessors. */
export const RANDOM_ORDER = { shuffle: { files: true, tests: false }, seed };

/**
 * The random order, after the files of minutes, which begin with `// @runs first`: one that begins last would leave the
 * other cores idle.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({ file, rank: rankOf(file) }));
    return ranked.toSorted((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ file }) => file);
  }
}

function rankOf({ moduleId }: TestSpecification): string {
  const isLong = readFileSync(moduleId, "utf8").startsWith("// @runs first\n");
  const place = createHash("sha256").update(`${seed} ${moduleId}`).digest("hex");
  return `${isLong ? 0 : 1}${place}`;
}

/** Repeats the seed below the results: the line at the start of a long log is seldom read. */
export function printSeed(): Plugin {
  return {
    name: "print-seed",
    configureVitest: ({ vitest }) =>
      once("printed seed", () => {
        vitest.onClose(() => void process.stdout.write(`Order of files: TEST_SEED=${seed}\n`));
      }),
  };
}

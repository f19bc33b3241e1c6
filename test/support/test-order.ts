import { randomInt } from "node:crypto";

import type { Plugin } from "vitest/config";

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

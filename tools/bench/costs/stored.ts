import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { ROOT } from "../../scripts/local/settings.ts";
import type { Way } from "./counting.ts";

/** The file that keeps counts between runs: taking them lasts minutes. */
const COUNTS = join(ROOT, ".wrangler/bench/counts.json");

/** Store counts for later runs. */
export async function storeCounts(ways: readonly Way[]): Promise<void> {
  await mkdir(dirname(COUNTS), { recursive: true });
  await writeFile(COUNTS, JSON.stringify(ways, null, 2));
  console.log(`\nThe counts are in ${COUNTS}: --counts and --before read such files.`);
}

/** The counts of an earlier run. */
export async function readCounts(file: string): Promise<Way[]> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an earlier run wrote it.
  return JSON.parse(await readFile(file, "utf8")) as Way[];
}

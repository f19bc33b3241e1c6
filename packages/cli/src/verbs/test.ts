import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { collectionFor } from "../component/collection.ts";
import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { platformRoot } from "../places.ts";
import { NODE_FLAGS, nodeFor } from "../platform/node.ts";
import { json } from "../terminal/output.ts";

/** A component that fails with generated responses is not known to be wrong: its real service may respond otherwise. */
const UNKNOWN_PASSES = ["--allow", "answers"];

/** The report of the compatibility runner. */
type Report = { results: { path: string; outcome: string }[] };

/** Deploy and run every component of a folder on a platform of its own, and report the outcome of each. */
export async function test(given: string, options: CommandOptions): Promise<void> {
  const dir = resolve(given);
  const found = await stat(dir).catch(() => undefined);
  if (!found?.isDirectory()) throw misuse(`${given} is not a folder`);
  const work = await mkdtemp(join(tmpdir(), "wellspring-test-"));
  try {
    const report = join(work, "report.json");
    const isQuiet = options.json ?? false;
    const args = [...(await collectionFor(dir, work)), ...UNKNOWN_PASSES, "--report", report];
    const code = await runner(args, isQuiet);
    if (isQuiet) json(await reportIn(report));
    if (code !== 0) throw new Failure(`Not every component of ${given} works`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Run the compatibility runner, which starts a platform of its own. Returns its exit code. */
async function runner(args: string[], isQuiet: boolean): Promise<number | null> {
  const platform = platformRoot();
  if (!platform) throw new Failure("This package contains no platform");
  const script = platform.isBuilt ? "tools/scripts/local/compat.js" : "tools/compat/run.ts";
  const command = [...NODE_FLAGS, join(platform.root, script), ...args];
  const child = spawn(nodeFor(platform.root), command, {
    stdio: ["ignore", isQuiet ? "ignore" : "inherit", "inherit"],
  });
  const [code]: (number | null)[] = await once(child, "close");
  return code ?? null;
}

async function reportIn(file: string): Promise<Report> {
  const text = await readFile(file, "utf8").catch(() => {
    throw new Failure("The components were not tested");
  });
  return JSON.parse(text);
}

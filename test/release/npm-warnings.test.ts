import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

const NPMRC = join(import.meta.dirname, "../../.npmrc");

/** The output of npm on installing a package for another Node. */
async function installed(hasOurs: boolean): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "engines-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "tool"));
  const tool = { name: "tool", version: "1.0.0", engines: { node: ">=999" } };
  await writeFile(join(folder, "tool/package.json"), JSON.stringify(tool));
  const own = { name: "own", version: "1.0.0", dependencies: { tool: "file:tool" } };
  await writeFile(join(folder, "package.json"), JSON.stringify(own));
  if (hasOurs) await copyFile(NPMRC, join(folder, ".npmrc"));
  const { npm_config_loglevel: _, ...env } = process.env;
  const args = ["install", "--offline", "--no-audit", "--no-fund"];
  const { stdout, stderr } = await promisify(execFile)("npm", args, { cwd: folder, env });
  return stdout + stderr;
}

test("npm does not warn about tools for another Node", async () => {
  expect(await installed(false)).toContain("EBADENGINE");
  const shown = await installed(true);
  expect(shown).toContain("added");
  expect(shown).not.toContain("EBADENGINE");
});

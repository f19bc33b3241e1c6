import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { MACHINE_PATH } from "./cli.ts";

const ROOT = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Install the types and tests of a new component by the command that `init` printed. */
export async function installTypes(printed: string, cwd: string): Promise<void> {
  const [, command = ""] = /^types and tests: (npm install.*)$/m.exec(printed) ?? [];
  const env = { ...process.env, PATH: MACHINE_PATH, npm_config_prefer_offline: "true" };
  await run("sh", ["-ec", command], { cwd, env });
}

/** Run `node --test` in a folder with the Node of the machine. Returns its report. */
export async function runTests(cwd: string): Promise<string> {
  const { stdout } = await run("node", ["--test", "--test-reporter=tap"], { cwd });
  return stdout.replaceAll("# ", "");
}

/** Compile the components of a folder with the types of the package. */
export async function compileComponents(cwd: string): Promise<void> {
  const names = (await readdir(cwd)).filter((name) => name.endsWith(".ts"));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
  const target = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
  await run(process.execPath, [tsc, ...options, ...target, ...names], { cwd });
}

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const OPTION = /^ +"?([a-z-]+)"?: \{ type: "(?:string|boolean)"/gm;

/** Scripts that other scripts of package.json run, before tests and checks, but no person. */
const INTERNAL = new Set(["types", "schemas", "layers", "pretest", "check"]);

const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};
const ours = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /\bnode (?:--\S+ )*(tools\/\S+\.ts)/.exec(command)?.[1];
  return file === undefined || INTERNAL.has(name) ? [] : [{ name, file }];
});

test.for(ours)("--help of npm run $name lists all of its options", async ({ name, file }) => {
  const node = ["--disable-warning=ExperimentalWarning", join(ROOT, file), "--help"];
  const { stdout } = await promisify(execFile)(process.execPath, node, { cwd: ROOT });
  expect(stdout).toContain(name === "start" ? "npm start" : `npm run ${name}`);
  const source = await readFile(join(ROOT, file), "utf8");
  for (const [, option] of source.matchAll(OPTION)) expect(stdout).toContain(`--${option}`);
});

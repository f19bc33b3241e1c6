import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { packTarball } from "../../tools/packages/tarball.ts";
import { wellspring } from "../support/cli.ts";
import { compileComponents, installTypes, runTests } from "../support/component-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = join(ROOT, "packages/component/README.md");

const run = promisify(execFile);
let folder: string;

/** Installs only the packed tarball in an empty folder. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "component-package-"));
  await writeFile(join(folder, "package.json"), `{"private": true, "type": "module"}`);
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  await run("npm", [...install, await packTarball("component", folder)], { cwd: folder });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.for(["source", "app"])(
  "in a clone, `init %s --typescript` refers to the clone's package, whose tests and types work",
  async (kind) => {
    const place = { cwd: folder, env: {} };
    const name = `new-${kind}`;
    const { stdout } = await wellspring(place, "init", kind, name, "--typescript");
    await installTypes(stdout, folder);
    const made = join(folder, name);
    const installed = await realpath(join(made, "node_modules/@wellspring/component"));
    expect(installed).toBe(await realpath(join(ROOT, "packages/component")));
    expect(await runTests(made)).toMatch(/pass 1\n/);
    await compileComponents(made);
  },
);

test("`init --typescript` beside a package.json prints how to add the types to it", async () => {
  const made = await folderOf("project", { "package.json": `{"private": true, "type": "module"}` });
  const place = { cwd: made, env: {} };
  const { stdout } = await wellspring(place, "init", "action", ".", "--typescript");
  await installTypes(stdout, made);
  expect(JSON.parse(await readFile(join(made, "package.json"), "utf8"))).toMatchObject({
    devDependencies: { "@wellspring/component": expect.stringMatching(/^file:.*component$/) },
  });
  expect(await runTests(made)).toMatch(/pass 1\n/);
});

test("every block of the README runs, and compiles", async () => {
  const text = await readFile(README, "utf8");
  const blocks = [...text.matchAll(/^```(?:ts|js)\n\/\/ (\S+)\n([^]*?)^```$/gm)];
  const files = Object.fromEntries(blocks.map(([, name = "", code = ""]) => [name, code]));
  // The test covers all code blocks.
  expect(text.match(/^```(?!sh$).+$/gm)).toHaveLength(blocks.length);
  const made = await folderOf("readme", files);
  const tests = blocks.map(([, name = ""]) => name).filter((name) => name.includes(".test."));
  expect(tests.length).toBeGreaterThan(0);
  expect(await runTests(made)).toMatch(/fail 0\n/);
  await compileComponents(made);
});

async function folderOf(name: string, files: Record<string, string>): Promise<string> {
  const made = join(folder, name);
  await mkdir(made);
  for (const [path, text] of Object.entries(files)) await writeFile(join(made, path), text);
  return made;
}

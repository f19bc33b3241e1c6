import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import {
  COMPONENT_VERSION,
  typescriptFilesOf,
} from "../../packages/cli/src/typescript-templates.ts";

const ROOT = join(import.meta.dirname, "../..");
const README = join(ROOT, "packages/component/README.md");

const run = promisify(execFile);
let folder: string;

/** Installs only the packed tarball in an empty folder. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "component-package-"));
  await run("npm", ["run", "build:component"], { cwd: ROOT });
  const pack = ["pack", "-w", "@wellspring/component", "--pack-destination", folder, "--json"];
  await run("npm", pack, { cwd: ROOT });
  await writeFile(join(folder, "package.json"), `{"private": true, "type": "module"}`);
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund"];
  const tarball = join(folder, `wellspring-component-${COMPONENT_VERSION}.tgz`);
  await run("npm", [...install, tarball], { cwd: folder });
}, 300_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test.for(["source", "action"] as const)(
  "the %s that `init --typescript` makes passes its own test, and the compiler",
  async (kind) => {
    const made = await folderOf(kind, typescriptFilesOf(kind, "mine"));
    expect(await tested(made)).toMatch(/pass 1\n/);
    await compiled(made);
  },
);

test("every block of the README runs, and compiles", async () => {
  const text = await readFile(README, "utf8");
  const blocks = [...text.matchAll(/^```(?:ts|js)\n\/\/ (\S+)\n([^]*?)^```$/gm)];
  const files = Object.fromEntries(blocks.map(([, name = "", code = ""]) => [name, code]));
  // The test covers all code blocks.
  expect(text.match(/^```(?!sh$).+$/gm)).toHaveLength(blocks.length);
  const made = await folderOf("readme", files);
  const tests = blocks.map(([, name = ""]) => name).filter((name) => name.includes(".test."));
  expect(tests.length).toBeGreaterThan(0);
  expect(await tested(made)).toMatch(/fail 0\n/);
  await compiled(made);
});

async function folderOf(name: string, files: Record<string, string>): Promise<string> {
  const made = join(folder, name);
  await mkdir(made);
  for (const [path, text] of Object.entries(files)) await writeFile(join(made, path), text);
  return made;
}

/** Run `node --test` in a folder with the Node of the machine. Returns its report. */
async function tested(cwd: string): Promise<string> {
  const { stdout } = await run("node", ["--test", "--test-reporter=tap"], { cwd });
  return stdout.replaceAll("# ", "");
}

/** Compile the components of a folder with the types of the package. */
async function compiled(cwd: string): Promise<void> {
  const names = (await readdir(cwd)).filter((name) => name.endsWith(".ts"));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--ignoreConfig"];
  const target = ["--module", "nodenext", "--target", "es2022", "--lib", "es2022,dom,dom.iterable"];
  await run(process.execPath, [tsc, ...options, ...target, ...names], { cwd });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";

import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { platformRoot } from "../places.ts";
import { NODE_FLAGS, nodeFor } from "../platform/node.ts";
import { json } from "../terminal/output.ts";

const CODE = /^(?!.*\.(?:d|test|config)\.)[^.].*\.(?:mjs|js|ts)$/;
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|dist|\.wellspring)(?:\/|$)/;

/** The report of the compatibility runner. */
type Report = { results: { path: string; outcome: string }[] };

/** Deploy and run every component of a folder on a platform of its own, and report the outcome of each. */
export async function test(given: string, options: CommandOptions): Promise<void> {
  const dir = resolve(given);
  const found = await stat(dir).catch(() => undefined);
  if (!found?.isDirectory()) throw misuse(`${given} is not a folder`);
  const work = await mkdtemp(join(tmpdir(), "wellspring-test-"));
  try {
    const collection = (await isCollection(dir)) ? [dir] : await laidOut(dir, work);
    const report = join(work, "report.json");
    const isQuiet = options.json ?? false;
    const code = await runner([...collection, "--report", report], isQuiet);
    if (isQuiet) json(await reportIn(report));
    if (code !== 0) throw new Failure(`Not every component of ${given} works`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function isCollection(dir: string): Promise<boolean> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries.some((entry) => {
    const path = relative(dir, join(entry.parentPath, entry.name));
    return entry.isDirectory() && /^(?:components\/)?[^/]+\/(?:sources|actions)$/.test(path);
  });
}

/**
 * A copy of the folder in the layout of a collection, once for its sources and once for its actions; and the folders to
 * test.
 */
async function laidOut(dir: string, work: string): Promise<string[]> {
  const app = join("components", basename(dir));
  const kinds = await kindsIn(dir);
  if (kinds.length === 0)
    throw misuse(`There is no component in ${dir}`, "a component has key and version");
  for (const kind of ["sources", "actions"])
    await cp(dir, join(work, "collection", app, kind), {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(relative(dir, path)),
    });
  const list = join(work, "list.txt");
  const paths = kinds.map(({ path, kind }) => join(app, kind, path));
  await writeFile(list, `${paths.join("\n")}\n`);
  return [join(work, "collection"), "--list", list];
}

/** The files of a folder with a key and a version, like those of components. */
async function kindsIn(dir: string): Promise<{ path: string; kind: "sources" | "actions" }[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && CODE.test(entry.name))
    .map(({ parentPath, name }) => relative(dir, join(parentPath, name)))
    .filter((path) => !LEFT_OUT.test(path));
  const read = await Promise.all(
    files.map(async (path) => ({ path, text: await readFile(join(dir, path), "utf8") })),
  );
  return read
    .filter(({ text }) => /^\s*key:/m.test(text) && /^\s*version:/m.test(text))
    .map(({ path, text }) => ({
      path,
      kind: /^\s*type:\s*["'`]action/m.test(text) ? "actions" : "sources",
    }));
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

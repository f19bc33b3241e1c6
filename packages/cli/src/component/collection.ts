import { existsSync } from "node:fs";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";

import { misuse } from "../failure.ts";

const CODE = /^(?!.*\.(?:d|test|config)\.)[^.].*\.(?:mjs|js|ts)$/;
const KINDS = ["sources", "actions"];
const LEFT_OUT = /(?:^|\/)(?:node_modules|\.git|dist|\.wellspring)(?:\/|$)/;

/**
 * The arguments that name the components of a folder to the compatibility runner, which reads collections laid out
 * `<app>/{sources,actions}/…`: a collection, the folder of one app in it, or a copy of any other folder below `work`.
 */
export async function collectionFor(dir: string, work: string): Promise<string[]> {
  if (await isCollection(dir)) return [dir];
  const isOfApp = KINDS.some((kind) => existsSync(join(dir, kind)));
  const parent = dirname(dir);
  // The runner would read the apps of such a folder instead.
  if (isOfApp && !existsSync(join(parent, "components"))) return [parent, "--app", basename(dir)];
  return laidOut(dir, work);
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
  for (const kind of KINDS)
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

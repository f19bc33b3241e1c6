import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

import { ROOT } from "./settings.ts";

/** The folder with the hashes of the last run. */
const STAMPS = ".wrangler/generated";

/** Files generated from others. Both are named relative to the repository; inputs may be folders. */
export type Generated = {
  name: string;
  root?: string;
  inputs: readonly string[];
  outputs: readonly string[];
};

/** Generate files, unless they are unchanged since the last generation from the same inputs. */
export async function generate(files: Generated, write: () => Promise<void>): Promise<void> {
  const { name, root = ROOT, inputs, outputs } = files;
  const stamp = join(root, STAMPS, name);
  const before = await hashOf(root, inputs);
  const kept = await readFile(stamp, "utf8").catch(() => undefined);
  if (kept === `${before} ${await hashOf(root, outputs)}`) return;
  await write();
  await mkdir(join(root, STAMPS), { recursive: true });
  await writeFile(stamp, `${before} ${await hashOf(root, outputs)}`);
}

/** A hash of the names and contents of files and folders. A file that does not exist has no content. */
async function hashOf(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash("sha256");
  for (const file of (await Promise.all(paths.map((path) => filesUnder(root, path)))).flat()) {
    const content = await readFile(join(root, file)).catch(() => "");
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  const options = { recursive: true, withFileTypes: true } as const;
  const entries = await readdir(join(root, path), options).catch(() => undefined);
  if (!entries) return [path];
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    .toSorted();
}

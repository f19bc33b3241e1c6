import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ROOT } from "../local/settings.ts";

/** The static assets of the platform. */
export const ASSETS = join(ROOT, "assets");

/** The file in a built part that records the hash of its sources. */
const STAMP = ".built";

/** The beginning of the name of a folder in which a part is built. */
const UNFINISHED = ".unfinished-";

/** The timeout of waiting for another process that builds. */
const PATIENCE_MS = 120_000;

/** A folder of the static assets that is built from sources. */
export type AssetPart = {
  /** The folder's name, which is also the first part of its URLs. */
  name: "catalogue" | "console" | "docs";
  /** The script of package.json that builds it. */
  command: string;
  /** The files and folders that it is built from. The first is its own: a package contains parts built without it. */
  inputs: readonly [string, ...string[]];
  /** Builds into a new folder. `scratch` is a temporary folder. */
  write(folder: string, scratch: string): Promise<void>;
};

/** The environment of a build: one of development or of a test runner builds larger, slower pages. */
export function buildEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, NODE_ENV: "production" };
}

/** The folder of a part. */
export function folderOf({ name }: AssetPart): string {
  return join(ASSETS, name);
}

/** Whether a part exists and is built from its current sources. */
export async function isFresh(part: AssetPart): Promise<boolean> {
  const hash = await sourceHash(part);
  if (hash === undefined) return true;
  return hash === (await readFile(join(folderOf(part), STAMP), "utf8").catch(() => undefined));
}

/** Build a part, unless the existing one has the same sources. Returns whether it was built. */
export async function buildPart(part: AssetPart): Promise<boolean> {
  await mkdir(ASSETS, { recursive: true });
  // The kernel drops a SQLite lock with its process. Of several processes that start at once, one builds.
  const lock = new DatabaseSync(join(ASSETS, ".lock"));
  lock.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN EXCLUSIVE`);
  try {
    await removeUnfinished();
    if (await isFresh(part)) return false;
    await build(part);
    return true;
  } finally {
    lock.close();
  }
}

/** Remove the folders of killed builds: the process with the lock is the only one that builds. */
async function removeUnfinished(): Promise<void> {
  for (const name of await readdir(ASSETS))
    if (name.startsWith(UNFINISHED)) await rm(join(ASSETS, name), { recursive: true, force: true });
}

/** Build beside the destination: a failed or interrupted build leaves the last one unchanged. */
async function build(part: AssetPart): Promise<void> {
  const hash = (await sourceHash(part)) ?? "";
  const unfinished = await mkdtemp(join(ASSETS, UNFINISHED));
  try {
    const folder = join(unfinished, part.name);
    await part.write(folder, unfinished);
    await writeFile(join(folder, STAMP), hash);
    await rename(folderOf(part), join(unfinished, "former")).catch(() => undefined);
    await rename(folder, folderOf(part));
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** The hash of a part's sources; undefined in a package, which contains the built part without its sources. */
async function sourceHash({ inputs }: AssetPart): Promise<string | undefined> {
  if (!existsSync(join(ROOT, inputs[0]))) return undefined;
  const hash = createHash("sha256");
  for (const file of (await Promise.all(inputs.map(filesUnder))).flat())
    hash.update(`${file}\0`).update(await readFile(join(ROOT, file)));
  return hash.digest("hex").slice(0, 16);
}

async function filesUnder(input: string): Promise<string[]> {
  if (/\.\w+$/.test(input)) return [input];
  const entries = await readdir(join(ROOT, input), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !isIgnored(entry))
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .toSorted();
}

/** Generated types are not in a built part, and the lockfile names installed packages. */
function isIgnored({ parentPath, name }: { parentPath: string; name: string }): boolean {
  return name.endsWith(".generated.ts") || parentPath.includes("node_modules");
}

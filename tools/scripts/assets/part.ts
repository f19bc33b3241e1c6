import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { ROOT } from "../local/settings.ts";

/** The static assets of the platform. */
export const ASSETS = join(ROOT, "assets");

/** Says in a built part what it was built from. */
const STAMP = ".built";

/** How long to wait for another process that builds. */
const PATIENCE_MS = 120_000;

/** A folder of the static assets that is built from sources. */
export type AssetPart = {
  /** The folder's name, which is also the first part of its URLs. */
  name: "docs" | "console";
  /** The script of package.json that builds it. */
  command: string;
  /** Files and folders that it is built from. The first is its own: a package brings what was built without it. */
  inputs: readonly [string, ...string[]];
  /** Builds into a folder that is not there yet. `scratch` is a folder for what is needed meanwhile. */
  write(folder: string, scratch: string): Promise<void>;
};

/** Where a part lies. */
export function folderOf({ name }: AssetPart): string {
  return join(ASSETS, name);
}

/** Whether a part is there, and built from what its sources are now. */
export async function isFresh(part: AssetPart): Promise<boolean> {
  const hash = await sourceHash(part);
  if (hash === undefined) return true;
  return hash === (await readFile(join(folderOf(part), STAMP), "utf8").catch(() => undefined));
}

/** Build a part, unless what is there was built from the same sources. Returns whether it was built. */
export async function buildPart(part: AssetPart): Promise<boolean> {
  await mkdir(ASSETS, { recursive: true });
  // The kernel drops a SQLite lock with its process. Of several that start at once, one builds.
  const lock = new DatabaseSync(join(ASSETS, ".lock"));
  lock.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN EXCLUSIVE`);
  try {
    if (await isFresh(part)) return false;
    await build(part);
    return true;
  } finally {
    lock.close();
  }
}

/** Build beside the destination: a build that fails or is cut short leaves the last one as it was. */
async function build(part: AssetPart): Promise<void> {
  const hash = (await sourceHash(part)) ?? "";
  const unfinished = await mkdtemp(join(ASSETS, ".unfinished-"));
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

/** A name for what a part is built from; undefined in a package, which brings it built without its sources. */
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

/** Generated types are not in a built part, and installed packages are named by the lockfile. */
function isIgnored({ parentPath, name }: { parentPath: string; name: string }): boolean {
  return name.endsWith(".generated.ts") || parentPath.includes("node_modules");
}

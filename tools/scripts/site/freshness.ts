import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { ROOT } from "../local/settings.ts";

/** What the platform serves as static assets. */
export const ASSETS = join(ROOT, "assets");

/** Where the documentation site lies among them. */
export const SITE = join(ASSETS, "docs");

/** Says in a built site what it was built from. */
export const STAMP = ".built";

/** What the site is built from. */
const INPUTS = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs",
  "packages/cli/README.md",
  "packages/client/README.md",
  "tools/scripts/site",
  "package-lock.json",
];

/** A name for what the site is built from; undefined in a package, which brings a built site without its sources. */
export async function sourceHash(): Promise<string | undefined> {
  if (!existsSync(join(ROOT, "docs"))) return undefined;
  const hash = createHash("sha256");
  for (const file of (await Promise.all(INPUTS.map(filesUnder))).flat())
    hash.update(`${file}\0`).update(await readFile(join(ROOT, file)));
  return hash.digest("hex").slice(0, 16);
}

/** Whether the site is there, and built from what its sources are now. */
export async function isFresh(): Promise<boolean> {
  const hash = await sourceHash();
  if (hash === undefined) return true;
  return hash === (await readFile(join(SITE, STAMP), "utf8").catch(() => undefined));
}

async function filesUnder(input: string): Promise<string[]> {
  if (/\.\w+$/.test(input)) return [input];
  const entries = await readdir(join(ROOT, input), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .toSorted();
}

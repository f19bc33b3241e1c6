import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

import { ROOT } from "../local/settings.ts";
import { ASSETS, isFresh, SITE, sourceHash, STAMP } from "./freshness.ts";
import { moveScripts } from "./inline-scripts.ts";
import { indexOfPages, renderPages } from "./pages.ts";
import { writeReference } from "./reference.ts";

const VITEPRESS = join(ROOT, "node_modules/vitepress/bin/vitepress.js");

/** How long to wait for another process that builds the site. */
const PATIENCE_MS = 120_000;

/** Build the site, unless what is there was built from the same sources. Returns whether it built. */
export async function buildSite(): Promise<boolean> {
  await mkdir(ASSETS, { recursive: true });
  // The kernel drops a SQLite lock with its process. Of several that start at once, one builds.
  const lock = new DatabaseSync(join(ASSETS, ".lock"));
  lock.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}; BEGIN EXCLUSIVE`);
  try {
    if (await isFresh()) return false;
    await build();
    return true;
  } finally {
    lock.close();
  }
}

/** Build beside the destination: a build that fails or is cut short leaves the last site as it was. */
async function build(): Promise<void> {
  const hash = (await sourceHash()) ?? "";
  const unfinished = await mkdtemp(join(ASSETS, ".unfinished-"));
  try {
    const site = join(unfinished, "docs");
    await writePages(join(unfinished, "source"), site);
    await writeReference(join(site, "api"));
    await writeFile(join(site, STAMP), hash);
    await rename(SITE, join(unfinished, "former")).catch(() => undefined);
    await rename(site, SITE);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Write each page as HTML and as Markdown, and the list of all. */
async function writePages(source: string, site: string): Promise<void> {
  const pages = await renderPages();
  await mkdir(source);
  await cp(join(ROOT, "docs/.vitepress"), join(source, ".vitepress"), { recursive: true });
  await writeAll(source, pages);
  const pictures = (await readdir(join(ROOT, "docs"))).filter((name) => name.endsWith(".svg"));
  for (const picture of pictures) await cp(join(ROOT, "docs", picture), join(source, picture));
  const args = [VITEPRESS, "build", source, "--outDir", site];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
  await moveScripts(site);
  await writeAll(site, pages);
  for (const picture of pictures) await cp(join(ROOT, "docs", picture), join(site, picture));
  await writeFile(join(site, "llms.txt"), indexOfPages());
}

async function writeAll(folder: string, pages: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of pages) await writeFile(join(folder, `${name}.md`), text);
}

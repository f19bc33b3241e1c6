import { execFile } from "node:child_process";
import { cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { type AssetPart, buildEnvironment } from "../assets/part.ts";
import { ROOT } from "../local/settings.ts";
import { moveScripts } from "./inline-scripts.ts";
import { indexOfPages, renderPages } from "./pages.ts";
import { writeReference } from "./reference.ts";

const VITEPRESS = join(ROOT, "node_modules/vitepress/bin/vitepress.js");

const PICTURE = /\.(?:svg|webp)$/;

/** The documentation site. */
export const SITE: AssetPart = {
  name: "docs",
  command: "npm run build:docs",
  inputs: [
    "docs",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "packages/cli/README.md",
    "packages/client/README.md",
    "packages/component/README.md",
    "apps",
    "src/domain/connect",
    "tools/scripts/site",
    "tools/scripts/assets",
    "package-lock.json",
  ],
  async write(folder, scratch) {
    await writePages(join(scratch, "source"), folder);
    await writeReference(join(folder, "api"));
  },
};

/** Write each page as HTML and as Markdown, and the list of all. */
async function writePages(source: string, site: string): Promise<void> {
  const pages = await renderPages();
  await mkdir(source);
  await cp(join(ROOT, "docs/.vitepress"), join(source, ".vitepress"), { recursive: true });
  await writeAll(source, pages);
  const pictures = (await readdir(join(ROOT, "docs"))).filter((name) => PICTURE.test(name));
  for (const picture of pictures) await cp(join(ROOT, "docs", picture), join(source, picture));
  const args = [VITEPRESS, "build", source, "--outDir", site];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: buildEnvironment() });
  await moveScripts(site);
  await writeAll(site, pages);
  for (const picture of pictures) await cp(join(ROOT, "docs", picture), join(site, picture));
  await writeFile(join(site, "llms.txt"), indexOfPages());
}

async function writeAll(folder: string, pages: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of pages) await writeFile(join(folder, `${name}.md`), text);
}

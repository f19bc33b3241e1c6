import { readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Links in prose; blocks and spans of code contain none. */
const LINK = /\[(?:[^\][]|\[[^\]]*\])*\]\(([^)\s]+)\)/g;
const CODE = /^```[^]*?^```$|`[^`\n]*`/gm;

async function pages(): Promise<string[]> {
  const files = await readdir(join(ROOT, "docs"), { recursive: true });
  const docs = files.filter((file) => file.endsWith(".md")).map((file) => join("docs", file));
  return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", ...docs];
}

/** The anchors of a page: its own, and those that GitHub gives its headings. */
async function anchorsOf(page: string): Promise<Set<string>> {
  const text = (await readFile(join(ROOT, page), "utf8")).replaceAll(/^```[^]*?^```$/gm, "");
  const anchors = new Set([...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id = ""]) => id));
  for (const [, heading = ""] of text.matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = words
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-");
    for (let copy = 0; ; copy += 1) {
      const name = copy === 0 ? anchor : `${anchor}-${copy}`;
      if (anchors.has(name)) continue;
      anchors.add(name);
      break;
    }
  }
  return anchors;
}

async function isThere(page: string, link: string): Promise<boolean> {
  const [path = "", anchor] = link.split("#");
  const target = path === "" ? page : relative(ROOT, join(ROOT, dirname(page), path));
  const text = await readFile(join(ROOT, target), "utf8").catch((error: NodeJS.ErrnoException) =>
    error.code === "EISDIR" ? "" : undefined,
  );
  if (text === undefined) return false;
  return anchor === undefined || (await anchorsOf(target)).has(anchor);
}

test("each link between our pages leads to a file, and to one of its headings", async () => {
  const broken: string[] = [];
  let count = 0;
  for (const page of await pages()) {
    const text = (await readFile(join(ROOT, page), "utf8")).replaceAll(CODE, "");
    for (const [, link = ""] of text.matchAll(LINK)) {
      if (/^[a-z]+:/.test(link)) continue;
      count += 1;
      if (!(await isThere(page, link))) broken.push(`${page}: ${link}`);
    }
  }
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(30);
});

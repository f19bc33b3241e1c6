import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { PAGES, sourceOf } from "../../../docs/.vitepress/contents.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** The languages of executed blocks. */
const LANGUAGES = new Set(["sh", "js", "ts"]);

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/** A block of code of a page; `place` is the file and the line. */
export type Block = { page: string; place: string; language: string; text: string };

/** All executable blocks of the README and of the pages of the site, in order. */
export async function documentedBlocks(): Promise<Block[]> {
  const files = ["README.md", ...PAGES.map(sourceOf)];
  return (await Promise.all(files.map(blocksOf))).flat();
}

async function blocksOf(page: string): Promise<Block[]> {
  const text = await readFile(join(ROOT, page), "utf8");
  return [...text.matchAll(BLOCK)]
    .filter(([, language = ""]) => LANGUAGES.has(language))
    .map(({ 1: language = "", 2: code = "", index }) => ({
      page,
      place: `${page}:${text.slice(0, index).split("\n").length}`,
      language,
      text: code,
    }));
}

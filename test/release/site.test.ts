import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { PAGES } from "../../docs/.vitepress/contents.ts";
import { ASSETS, buildPart, folderOf, isFresh } from "../../tools/scripts/assets/part.ts";
import { ensureAssets } from "../../tools/scripts/local/assets.ts";
import { SITE } from "../../tools/scripts/site/build.ts";

let files: string[];
const read = (file: string) => readFile(join(folderOf(SITE), file), "utf8");

beforeAll(async () => {
  const [failure] = await ensureAssets();
  if (failure) throw new Error(failure.message);
  files = await readdir(folderOf(SITE), { recursive: true });
});

test("the build writes each page as HTML and Markdown, and lists it for programs", async () => {
  expect(await isFresh(SITE)).toBe(true);
  const list = await read("llms.txt");
  for (const { name, about } of PAGES) {
    expect(await read(`${name}.html`)).toContain("<h1");
    // A skill begins with the fields by which agents choose it.
    expect(await read(`${name}.md`)).toMatch(/^(---\n[^]*?\n---\n+)?# /);
    expect(list).toContain(`(/docs/${name}.md): ${about}`);
  }
});

test("the next build removes the folder of a killed one", async () => {
  const folder = await mkdtemp(join(ASSETS, ".unfinished-"));
  expect(await buildPart(SITE)).toBe(false);
  expect(existsSync(folder)).toBe(false);
});

test("links of the Markdown pages lead to Markdown pages", async () => {
  const names = new Set(PAGES.map(({ name }) => `./${name}.md`));
  const lost: string[] = [];
  for (const { name } of PAGES) {
    const text = (await read(`${name}.md`)).replaceAll(/^```[^]*?^```$|`[^`\n]*`/gm, "");
    const links = [...text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g)].map(([, link = ""]) => link);
    const pages = links.filter((link) => !/^(?:https?:|\/)|\.(?:svg|webp)$/.test(link));
    lost.push(...pages.filter((link) => !names.has(link)).map((link) => `${name}: ${link}`));
  }
  expect(lost).toEqual([]);
});

/** The loads that a file causes in a browser: attributes of HTML, `url(…)` and `@import` of CSS, requests of scripts. */
const LOADS = [
  /<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\ssrc="(?:https?:)?\/\//,
  /<link\b[^>]*\shref="(?:https?:)?\/\//,
  /\b(?:import|fetch|importScripts)\(["'`](?:https?:)?\/\//,
  /\bfrom ?["'](?:https?:)?\/\//,
];

/** The same for styles; their matches in scripts are for icons of networks, which no page names. */
const STYLES = [/url\(["']?(?:https?:)?\/\//, /@import ["'](?:https?:)?\/\//];

test("no page, style or script of the site loads anything from another host", async () => {
  const own = files.filter((file) => /\.(?:html|css|js)$/.test(file) && !file.startsWith("api/"));
  expect(own.length).toBeGreaterThan(PAGES.length);
  for (const file of own) {
    const text = await read(file);
    const loading = file.endsWith(".js") ? LOADS : [...LOADS, ...STYLES];
    for (const loads of loading) expect([file, loads.exec(text)?.[0]]).toEqual([file, undefined]);
  }
});

test("no page contains an inline script or handler, so that its policy allows none", async () => {
  for (const file of files.filter((name) => name.endsWith(".html"))) {
    const page = await read(file);
    for (const [, attributes = "", script = ""] of page.matchAll(
      /<script\b([^>]*)>([^]*?)<\/script>/g,
    ))
      expect([file, attributes.includes("src="), script]).toEqual([file, true, ""]);
    expect([file, /<[a-z][^>]*\son\w+=/.exec(page)]).toEqual([file, null]);
  }
});

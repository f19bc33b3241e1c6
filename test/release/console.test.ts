import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { beforeAll, expect, onTestFinished, test, vi } from "vitest";

import { CONSOLE } from "../../tools/scripts/assets/console.ts";
import { folderOf } from "../../tools/scripts/assets/part.ts";
import { ensureAssets } from "../../tools/scripts/local/assets.ts";

const FIRST_LOAD_BYTES = 250 * 1024;

let files: string[];
const read = (file: string) => readFile(join(folderOf(CONSOLE), file), "utf8");

beforeAll(async () => {
  const [failure] = await ensureAssets();
  if (failure) throw new Error(failure.message);
  files = await readdir(folderOf(CONSOLE), { recursive: true });
});

/** The files that the page loads before its first content: its scripts and styles, and all their static imports. */
async function firstLoad(): Promise<string[]> {
  const page = await read("index.html");
  const found = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(
    ([, file = ""]) => file,
  );
  // The list grows during the loop.
  for (const file of found) {
    if (!file.endsWith(".js")) continue;
    const imports = (await read(file)).matchAll(/\b(?:from|import) ?["']\.\/([^"']+)["']/g);
    for (const [, name] of imports)
      if (!found.includes(`assets/${name}`)) found.push(`assets/${name}`);
  }
  return found;
}

test("a build in any environment is one of production", async () => {
  const folder = await mkdtemp(join(tmpdir(), "console-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  vi.stubEnv("NODE_ENV", "development");
  onTestFinished(() => void vi.unstubAllEnvs());
  await CONSOLE.write(folder, "");
  const built = await readdir(folder, { recursive: true });
  expect(built.toSorted()).toEqual(files.filter((file) => file !== ".built").toSorted());
});

test("a first load is at most 250 KB, compressed as in responses", async () => {
  const loaded = await firstLoad();
  expect(loaded.filter((file) => file.endsWith(".js"))).not.toEqual([]);
  expect(loaded.filter((file) => file.endsWith(".css"))).not.toEqual([]);
  const sizes = await Promise.all(
    ["index.html", ...loaded].map(async (file) => gzipSync(await read(file)).length),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(FIRST_LOAD_BYTES);
});

/**
 * The loads that a file causes in a browser: attributes of HTML, `url(…)` and `@import` of CSS, and imports of scripts.
 * Browser tests watch requests, because templates of components make some.
 */
const LOADS = [
  /<(?:script|img|iframe|source|video|audio|embed)\b[^>]*\ssrc="(?:https?:)?\/\//,
  /<link\b[^>]*\shref="(?:https?:)?\/\//,
  /\b(?:import|importScripts)\(["'`](?:https?:)?\/\//,
  /\bfrom ?["'](?:https?:)?\/\//,
  /new (?:EventSource|WebSocket|Worker)\(["'`](?:https?|wss?):\/\//,
];

const STYLES = [/url\(["']?(?:https?:)?\/\//, /@import ["'](?:https?:)?\/\//];

test("no file of the console loads anything from another host", async () => {
  const own = files.filter((file) => /\.(?:html|css|js)$/.test(file));
  expect(own.length).toBeGreaterThan(3);
  for (const file of own) {
    const text = await read(file);
    const loading = file.endsWith(".js") ? LOADS : [...LOADS, ...STYLES];
    for (const loads of loading) expect([file, loads.exec(text)?.[0]]).toEqual([file, undefined]);
  }
});

test("the console's page contains no inline script or handler, so that its policy allows none", async () => {
  const page = await read("index.html");
  for (const [, attributes = "", script = ""] of page.matchAll(
    /<script\b([^>]*)>([^]*?)<\/script>/g,
  ))
    expect([attributes.includes("src="), script]).toEqual([true, ""]);
  expect(/<[a-z][^>]*\son\w+=/.exec(page)).toBeNull();
});

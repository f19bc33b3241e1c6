import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** Everything that people read or that writes text for them. */
const FOLDERS = ["console/src", "docs", "examples", "packages", "src", "tools", "worker-templates"];
const PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"];

/** A name in npm's registry that is not ours: anybody may publish under it. */
const NAME = String.raw`(?:npm:)?(?:wellspring|@wellspring/[a-z]+)(?!\.\w|[\w/-])`;

const OPTIONS = String.raw`(?:[ \t]+(?:--?[\w-]+(?:=\S+)?|[\w.@/~^-]+))*?`;
const INSTALLS = new RegExp(
  [
    String.raw`\b(?:npm|pnpm|yarn|bun|deno)[ \t]+(?:install|i|add|exec|dlx|x|create|init)${OPTIONS}[ \t]+${NAME}`,
    String.raw`\b(?:npx|bunx|pnpx)(?:[ \t]+--?[\w-]+)*[ \t=]+@wellspring/`,
    String.raw`https?://\S*/@wellspring/`,
  ].join("|"),
);

/** The command line by its short name, which npm looks up in its registry unless it is installed in the folder. */
const COMMAND = "npx wellspring";

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { recursive: true });
  return entries
    .filter((path) => /\.(?:md|js|ts|tsx|html)$/.test(path) && !/node_modules|dist\//.test(path))
    .map((path) => join(folder, path));
}

const names = [...PAGES, ...(await Promise.all(FOLDERS.map(filesIn))).flat()];
const files = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(ROOT, name), "utf8") })),
);
const pages = files.filter(({ name }) => name.endsWith(".md"));

test("no page, template or message names an install of a package that is not ours", () => {
  const wrong = files.map(({ name, text }) => [name, INSTALLS.exec(text)?.[0]]);
  expect(wrong.filter(([, install]) => install !== undefined)).toEqual([]);
});

test.for([
  "npm install wellspring",
  "npm i -g @wellspring/cli",
  "npm install --save-dev typescript @wellspring/component",
  "npx @wellspring/cli init source orders",
  "npx --yes --package=@wellspring/cli wellspring",
  "pnpm dlx wellspring",
  "https://packages.example/@wellspring/client",
])("the rule above covers `%s`", (line) => {
  expect(INSTALLS.test(line)).toBe(true);
});

test("the rule above permits files, and the command line in a folder that has it", () => {
  const line = `npm install --prefix . "/clone/dist/wellspring-cli-0.1.0.tgz" && ${COMMAND} dev`;
  expect(INSTALLS.test(line)).toBe(false);
});

test(`a page says that \`${COMMAND}\` is for a clone before it uses it, or in the same paragraph`, () => {
  const unsaid = pages.filter(({ text }) => {
    const at = text.indexOf(COMMAND);
    const end = text.indexOf("\n\n", at);
    return at !== -1 && !/\bclone\b/.test(text.slice(0, end === -1 ? undefined : end));
  });
  expect(unsaid.map(({ name }) => name)).toEqual([]);
});

test("tarballs on pages have the versions of the packages", async () => {
  const tarballs = pages.flatMap(({ text }) => text.match(/wellspring-\w+-[\d.]+\d\.tgz/g) ?? []);
  const packed = await Promise.all(
    ["cli", "client", "component"].map(async (name) => {
      const file = join(ROOT, "packages", name, "package.json");
      const { version }: { version: string } = JSON.parse(await readFile(file, "utf8"));
      return `wellspring-${name}-${version}.tgz`;
    }),
  );
  expect(packed).toEqual(expect.arrayContaining(tarballs));
});

// @suites loader

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { scriptForm } from "#sandbox/script.ts";

import { evaluate } from "./evaluate.ts";

async function made(code: string) {
  const registry = { url: inject("registryServer"), token: undefined, allowPrivate: false };
  const resolverDeps = { registry, store: env.CODE, client: "test" };
  const bundled = await bundle({ entry: "a.mjs", files: { "a.mjs": code } }, resolverDeps);
  if (!bundled.ok) throw new Error(bundled.issues.map(({ text }) => text).join("\n"));
  return bundled.bundle;
}

const READ = {
  names: ["ada", "grace"],
  rules: "Be kind",
  greeting: "<p>Hello</p>",
  templates: ["bye.html", "hello.html"],
  sum: 3,
  version: "1.2.3",
  code: false,
  other: false,
  words: "one two",
};

test.for(["with-data", "with-data-sloppy", "with-data-by-file"])(
  "%s reads its own files, and no others",
  async (name) => {
    const code = `import "leaf"; import it from "${name}"; export default { run: () => it.read("hello") };`;
    expect(await evaluate(await made(code))).toEqual({ value: READ });
  },
);

test.for(["with-data-modern", "with-data-modern-by-file"])(
  "%s reads its own files as an ES module",
  async (name) => {
    const code = `import { read } from "${name}"; export default { run: read };`;
    const { names, rules } = READ;
    expect(await evaluate(await made(code))).toEqual({ value: { names, rules } });
  },
);

test("data of packages is uploaded as data with a script", async () => {
  const code = `import it from "with-data"; export default { run: () => it.read("hello") };`;
  const form = scriptForm(await made(code), []);
  const part = form.get("dependencies/data/node_modules/with-data/data/names.json");
  expect(part).toMatchObject({ type: "application/octet-stream" });
  expect(await (part as unknown as Blob).text()).toBe('["ada", "grace"]');
});

test("a component cannot write the files of a package", async () => {
  const code = `import it from "with-data"; import fs from "fs";
    export default { async run() {
      await it.read("hello");
      try { fs.writeFileSync("/node_modules/with-data/data/names.json", "[]"); return "written"; }
      catch (error) { return (await it.read("bye")).greeting; }
    } };`;
  expect(await evaluate(await made(code))).toEqual({ value: "<p>Bye</p>" });
});

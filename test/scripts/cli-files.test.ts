import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { collectionFor } from "../../packages/cli/src/component/collection.ts";
import { importsOf, readComponent } from "../../packages/cli/src/component/files.ts";
import { componentAt } from "../../packages/cli/src/component/find.ts";
import { missingIn, valuesOf } from "../../packages/cli/src/component/values.ts";
import { ComponentWatcher } from "../../packages/cli/src/dev/watcher.ts";
import { Refusal } from "../../packages/cli/src/refusal.ts";

async function folderOf(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cli-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

test.for([
  [`import a from "./a.js"`, ["./a.js"]],
  [`import "../side.mjs"; export * from './b'`, ["../side.mjs", "./b"]],
  [`const c = require("./c"); await import("./d.js")`, ["./c", "./d.js"]],
  [`import x from "axios"; // import y from "./y.js"`, ["./y.js"]],
  [`  // import a from "./a.js"\n * import b from "./b.js"`, []],
] as const)("the relative imports of %j", ([code, found]) => {
  expect(importsOf(code)).toEqual(found);
});

test("a component is uploaded with all its imports, by paths below their common folder", async () => {
  const folder = await folderOf({
    "package.json": `{"dependencies": {"ms": "^2"}}`,
    "app/sources/new/new.js": `import common from "../common.js"; import app from "../../app";`,
    "app/sources/common.ts": `import data from "./data.json"; import "./missing.js";`,
    "app/sources/data.json": `{}`,
    "app/app/index.mjs": ``,
    "app/unused.js": ``,
  });
  const { root, entry, files } = await readComponent(join(folder, "app/sources/new/new.js"));
  expect([root, entry]).toEqual([join(folder, "app"), "sources/new/new.js"]);
  expect(Object.keys(files).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "app/index.mjs",
    "package.json",
    "sources/common.ts",
    "sources/data.json",
    "sources/new/new.js",
  ]);
});

const PROPS = [
  { name: "text", type: "string" },
  { name: "count", type: "integer" },
  { name: "flag", type: "boolean" },
  { name: "list", type: "string[]" },
  { name: "slack", type: "app", app: "slack" },
  { name: "timer", type: "$.interface.timer" },
  { name: "extra", type: "any", optional: true },
  { name: "http", type: "$.interface.http" },
];

test.for([
  ["text=1", { text: "1" }],
  ["text=a=b", { text: "a=b" }],
  ["count=3", { count: 3 }],
  ["flag=true", { flag: true }],
  ["list=a,b", { list: ["a", "b"] }],
  [`list=["a,b"]`, { list: ["a,b"] }],
  ["slack=apn_1", { slack: { authProvisionId: "apn_1" } }],
  ["timer=60", { timer: { intervalSeconds: 60 } }],
  ["timer=0 * * * *", { timer: { cron: "0 * * * *" } }],
  [`extra={"a":1}`, { extra: { a: 1 } }],
] as const)("--prop %s", ([given, values]) => {
  expect(valuesOf([given], PROPS)).toEqual(values);
});

test.for(["count=x", "count=1.5", "flag=1", "nix=1", "text"])("rejects --prop %s", (given) => {
  expect(() => valuesOf([given], PROPS)).toThrow(/prop/);
});

test("only values that a person must enter count as missing", () => {
  const missing = missingIn([...PROPS, { name: "size", type: "integer", default: 1 }], {
    count: 1,
  });
  expect(missing.map(({ name }) => name)).toEqual(["text", "flag", "list", "slack", "timer"]);
});

test("the components of a folder are tested as of an app, of a collection, or as a copy", async () => {
  const component = `export default {\n  key: "a",\n  version: "1.0.0",\n};`;
  const folder = await folderOf({
    "shop/sources/new/new.mjs": component,
    "shop/shop.app.mjs": "",
    "flat/new.mjs": component,
  });
  const work = await folderOf({});
  expect(await collectionFor(folder, work)).toEqual([folder]);
  expect(await collectionFor(join(folder, "shop"), work)).toEqual([folder, "--app", "shop"]);
  const [copy = "", ...list] = await collectionFor(join(folder, "flat"), work);
  expect([copy, ...list]).toEqual([join(work, "collection"), "--list", join(work, "list.txt")]);
  expect(await readFile(join(work, "list.txt"), "utf8")).toBe("components/flat/sources/new.mjs\n");
  expect(await readFile(join(copy, "components/flat/sources/new.mjs"), "utf8")).toBe(component);
});

test("a folder stands for its only component, and one with several names them", async () => {
  const folder = await folderOf({
    "one/order.js": "",
    "one/order.test.js": "",
    "main/package.json": `{ "main": "b.js" }`,
    "main/a.js": "",
    "main/b.js": "",
    "several/a.js": "",
    "several/b.js": "",
    "none/notes.txt": "",
  });
  const at = (path: string) => componentAt(join(folder, path));
  expect(await at("one")).toBe(join(folder, "one/order.js"));
  expect(await at("main")).toBe(join(folder, "main/b.js"));
  expect(await at("one/order.js")).toBe(join(folder, "one/order.js"));
  await expect(at("several")).rejects.toThrow("several has several components");
  await expect(at("none")).rejects.toThrow("none has no component");
});

test("a deleted component is reported, and its return is a change", async () => {
  const folder = await folderOf({ "order.js": "1" });
  const path = join(folder, "order.js");
  const seen: string[] = [];
  const watcher = new ComponentWatcher(path, await readComponent(path), {
    onChange: ({ files }) => seen.push(files["order.js"] ?? ""),
    onGone: () => seen.push("gone"),
  });
  onTestFinished(() => watcher.close());
  await rm(path);
  await expect.poll(() => seen).toEqual(["gone"]);
  // At once: a file that is being written is empty at first.
  await writeFile(`${path}.new`, "2");
  await rename(`${path}.new`, path);
  await expect.poll(() => seen).toEqual(["gone", "2"]);
});

test("a refusal of code has each mistake once, with its line", () => {
  const issue = { file: "m.js", line: 2, column: 5, text: 'Expected "}"' };
  const refusal = new Refusal(
    422,
    {
      error: 'component_code: the component does not bundle: m.js:2:5: Expected "}"',
      code: "invalid_component",
      details: { issues: [issue] },
    },
    null,
  );
  expect(refusal.message).toBe("The component does not bundle");
  expect(refusal.details).toEqual(['m.js:2:5: Expected "}"']);
  expect(refusal.detailsIn({ "m.js": "export default {\n  run() {" })).toEqual([
    'm.js:2:5: Expected "}"',
    "2 | run() {",
  ]);
});

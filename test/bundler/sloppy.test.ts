import { expect, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { SloppyFiles } from "#bundler/sloppy.ts";
import { mapStack } from "#sandbox/stack.ts";

import { evaluate, resolverDeps } from "./evaluate.ts";

/** Whether a file stays sloppy. */
const isSloppy = (code: string) => new SloppyFiles("folder").linked("a.js", code) !== undefined;

test.for([
  ["code without the directive", "const a = require('a');\nmodule.exports = a;"],
  ["a directive of one function", "exports.f = function () { 'use strict'; return 1; };"],
  ["a directive that is a text", "exports.a = 1;\n'use strict';"],
  ["code that only sloppy mode has", "with (exports) { a = 010; } delete a;"],
  ["a comment with an import", "// import a from 'a';\n/*\nexport default 1;\n*/\nexports.a = 1;"],
] as const)("a CommonJS file stays sloppy: %s", ([, code]) => {
  expect(isSloppy(code)).toBe(true);
});

test.for([
  ["a directive", "'use strict';\nexports.a = 1;"],
  [
    "a directive after a comment",
    '#!/usr/bin/env node\n/* a * b */ // c\n"use strict"\nexports.a = 1;',
  ],
  ["a directive after another", "'use asm'; \"use strict\"; exports.a = 1;"],
  ["an ES module", "import a from 'a';\nsettings = a;"],
  ["a declaration of a name of the wrapper", "const require = 1;"],
  ["invalid code", "settings = = 1;"],
] as const)("a file is left to the compiler: %s", ([, code]) => {
  expect(isSloppy(code)).toBe(false);
});

test("a directive is found behind many comments at once", () => {
  expect(isSloppy(`${"/* a */ ".repeat(20_000)}exports.a = 1;`)).toBe(true);
});

test("a component's own CommonJS files are sloppy, and its strict ones and ES modules are strict", async () => {
  const probe = "(function () { return this === undefined ? 'strict' : 'sloppy'; })()";
  const files = {
    "component.mjs": `
      import loose from "./lib/loose.cjs";
      import strict from "./lib/strict.cjs";
      export default { run: async () => [${probe}, strict, loose.mode, loose.text(), loose.name, await loose.later(), loose.failing()] };`,
    "lib/strict.cjs": `"use strict"; module.exports = ${probe};`,
    "lib/loose.cjs": `
      counter = 1;
      exports.mode = ${probe};
      exports.text = function () { var text = "abc"; text.length = 1; text.title = "x"; return text; };
      exports.name = require("./data.json").name + require(__dirname + "/strict.cjs") + require("node:path").sep;
      if (counter > 1) require("./strict.cjs");
      exports.later = async () => (await import("./late.mjs")).default;
      exports.failing = () => { try { null.f(); } catch (error) { return error.stack.split("\\n")[1].trim(); } };`,
    "lib/data.json": `{ "name": "data" }`,
    "lib/late.mjs": `export default ${probe};`,
  };
  const made = await bundle({ entry: "component.mjs", files }, resolverDeps);
  if (!made.ok) throw new Error(JSON.stringify(made.issues));
  const { value, stack } = await evaluate(made.bundle);
  expect(stack).toBeUndefined();
  expect(mapStack("at f (files/lib/loose.cjs.cjs:8:40)", made.bundle.map)).toBe(
    "at f (lib/loose.cjs:8:40)",
  );
  expect(value).toEqual([
    "strict",
    "strict",
    "sloppy",
    "abc",
    "datastrict/",
    "strict",
    expect.stringContaining("files/lib/loose.cjs.cjs:8:"),
  ]);
});

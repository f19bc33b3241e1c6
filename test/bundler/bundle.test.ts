import { expect, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { mapStack } from "#sandbox/stack.ts";

import { bundled, evaluate, resolverDeps, valueOf } from "./evaluate.ts";

test.for([
  ["an ES module", "component.mjs", `export default { run: () => 42 }`],
  ["CommonJS", "component.js", `module.exports = { run: () => 42 }`],
  ["CommonJS by extension", "component.cjs", `module.exports = { run: () => 42 }`],
  [
    "TypeScript",
    "component.ts",
    `const answer: number = 42; export default { run: (): number => answer }`,
  ],
  [
    "a class of Node's, required",
    "component.js",
    `class Bus extends require("events") {}
     module.exports = { run: () => { const bus = new Bus(); let got; bus.on("x", (v) => (got = v)); bus.emit("x", 42); return got; } }`,
  ],
  [
    "members of Node's, required",
    "component.js",
    `const { inherits, inspect } = require("util"); const { join } = require("node:path");
     module.exports = { run: () => (typeof inherits === "function" && join("a", "b") === "a/b" && inspect({}) === "{}" ? 42 : 0) }`,
  ],
  [
    "Node's modules, imported",
    "component.mjs",
    `import crypto, { createHash } from "crypto"; import * as path from "node:path"; import fs from "fs/promises";
     export default { run: () => crypto.createHash === createHash && path.sep === "/" && fs.readFile ? 42 : 0 }`,
  ],
  [
    "the authoring kit, imported",
    "component.ts",
    `import { defineAction, type ActionInput } from "@wellspring/component";
     const run = (_input: ActionInput): number => 42;
     export default defineAction({ name: "A", version: "1", type: "action", run })`,
  ],
  [
    "the authoring kit, required",
    "component.js",
    `const { defineSource } = require("@wellspring/component@0.1.0"); module.exports = defineSource({ run: () => 42 })`,
  ],
  [
    "__dirname and __filename",
    "component.js",
    `module.exports = { run: () => require("path").join(__dirname, "a") + __filename === "/a/component.js" ? 42 : 0 }`,
  ],
] as const)("%s bundles and runs", async ([, entry, code]) => {
  expect(await valueOf(code, entry)).toBe(42);
});

test.for([
  [
    "a syntax error",
    `export default {\n  run() { return 1 +; }\n}`,
    { line: 2, column: 20, text: /Unexpected/ },
  ],
  [
    "a package",
    `\nimport x from "no-such-package-anywhere"; export default x`,
    { line: 2, column: 14, text: /"no-such-package-anywhere", which "component.mjs" imports/ },
  ],
  [
    "a module of the platform",
    `import { env } from "cloudflare:workers"; export default { env }`,
    { line: 1, column: 20, text: /cloudflare:workers/ },
  ],
  [
    "a missing file",
    `import x from "./nowhere.mjs"; export default x`,
    { line: 1, column: 14, text: /".\/nowhere.mjs", which "component.mjs" imports/ },
  ],
  [
    "no default export",
    `export const run = 1`,
    { line: 1, column: 0, text: /"component.mjs" has no default/ },
  ],
] as const)("reports %s with its place", async ([, code, { line, column, text }]) => {
  const made = await bundle(
    { entry: "component.mjs", files: { "component.mjs": code } },
    resolverDeps,
  );
  const file = "component.mjs";
  expect(made).toMatchObject({ ok: false, issues: [{ file, line, column }] });
  expect(made.ok || made.issues[0]?.text).toMatch(text);
});

test("a stack trace points into the source file", async () => {
  const code = `// first line\nfunction deep(): never {\n  throw new Error("x");\n}\nexport default { run() { deep(); } }`;
  const made = await bundled(code, "component.ts");
  const { stack = "" } = await evaluate(made);
  expect(mapStack(stack, made.map)).toContain("deep (component.ts:3:9)");
  expect(mapStack(stack, made.map)).toContain("component.ts:5:26)");
});

test("the same code gives the same bundle, other code another", async () => {
  const [one, same, other] = [
    await bundled("export default { run: () => 1 }"),
    await bundled("export default { run: () => 1 }"),
    await bundled("export default { run: () => 2 }"),
  ];
  expect(same).toEqual(one);
  expect(one.hash).toMatch(/^[0-9a-f]{64}$/);
  expect(other.hash).not.toBe(one.hash);
});

test("rejects code that the compiler would take too long for, but not as much data", async () => {
  const cases = Array.from({ length: 45_000 }, (_, n) => `case ${n}:f();break;`).join("");
  const code = `function f(a){switch(a){${cases}}}\nexport default { f };`;
  const text =
    "The code has more than 400000 names, numbers and signs: put data in a JSON file, or code in a package";
  const made = await bundle(
    { entry: "component.mjs", files: { "component.mjs": code } },
    resolverDeps,
  );
  expect(made).toMatchObject({ ok: false, issues: [{ file: "component.mjs", text }] });

  const files = {
    "component.mjs": `import data from "./data.json"; export default { data };`,
    "data.json": JSON.stringify(Array.from({ length: 210_000 }, (_, n) => n % 10)),
  };
  expect(await bundle({ entry: "component.mjs", files }, resolverDeps)).toMatchObject({ ok: true });
});

test("rejects more code than fits the compiler's memory", async () => {
  const large = "x".repeat(3 * 2 ** 20);
  const importing = {
    "component.mjs": `import text from "./text.json"; export default { text };`,
    "text.json": JSON.stringify(large),
  };
  const text = "The imported files have more than 3 MB of code";
  for (const files of [importing, { "component.mjs": `export default {}; // ${large}` }]) {
    const made = await bundle({ entry: "component.mjs", files }, resolverDeps);
    expect(made).toMatchObject({ ok: false, issues: [{ file: "component.mjs", line: 1, text }] });
  }
});

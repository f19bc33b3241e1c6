// @suites release

import { env } from "cloudflare:workers";
import { expect, inject, test } from "vitest";

import { bundle } from "#bundler/bundle.ts";
import { contentsOf, hold } from "#bundler/held-file.ts";
import { unbundledMemory } from "#bundler/set-memory.ts";
import type { LinkedFile } from "#bundler/unbundled/gather.ts";
import { PartWriter } from "#bundler/unbundled/parts.ts";
import type { Bundle } from "#sandbox/user-code.ts";

import { evaluate } from "./evaluate.ts";

const PATIENCE_MS = 60_000;

async function made(code: string, entry = "component.mjs"): Promise<Bundle> {
  const registry = { url: inject("registryServer"), token: undefined, allowPrivate: false };
  const resolverDeps = { registry, store: env.CODE, client: "test" };
  const bundled = await bundle({ entry, files: { [entry]: code } }, resolverDeps);
  if (!bundled.ok) throw new Error(bundled.issues.map(({ text }) => text).join("\n"));
  return bundled.bundle;
}

async function valueOf(code: string, entry?: string): Promise<unknown> {
  const { value, stack } = await evaluate(await made(code, entry));
  if (stack !== undefined) throw new Error(stack);
  return value;
}

test(
  "CommonJS packages too large for the compiler work file by file",
  { timeout: PATIENCE_MS },
  async () => {
    const value = await valueOf(`
      import it, { sum } from "large-cjs";
      import speaking from "large-cjs/speaking.js";
      import vast from "large-cjs/vast.js";
      export default { async run() {
        const { both, url, default: es } = await it.esm();
        return {
          sum: sum(), emits: new it.emitter().emit("x"), place: it.place(), circle: [it.early, it.late()],
          data: it.data, below: it.below, locales: [it.locale("en"), it.template("fr")],
          module: { both, url, es, required: it.required }, absent: it.absent(), unnamed: it.unnamed("x"),
          failing: it.failing(), sloppy: it.sloppy(), texts: it.texts, leaf: it.leaf, resolved: it.resolved, speaking, vast,
        };
      } };`);
    expect(value).toEqual({
      sum: 780,
      emits: false,
      place: ["/node_modules/large-cjs/index.js", "/node_modules/large-cjs", "undefined", true],
      circle: ["function", "function"],
      data: { list: [1, 2], text: "“é”" },
      below: 2,
      locales: ["hello", "salut"],
      module: {
        both: ["leaf", "leaf"],
        url: "file:///node_modules/large-cjs/module.mjs",
        es: "es",
        required: "es",
      },
      absent: "MODULE_NOT_FOUND",
      unnamed: "MODULE_NOT_FOUND",
      failing: ["failed", "failed"],
      sloppy: [7, 8],
      texts: ["“é” // 😀", true, "2 /* – */ a2", 2, "–"],
      leaf: { named: "leaf" },
      resolved: "/node_modules/large-cjs/data.json",
      speaking: "export default 1",
      vast: "export default 1",
    });
  },
);

test(
  "ES module packages too large for the compiler work file by file",
  { timeout: PATIENCE_MS },
  async () => {
    const value = await valueOf(`
      import Client, * as it from "large-esm";
      export default { async run() {
        return {
          client: typeof Client, values: [it.value0, it.value39], renamed: it.renamed, joined: it.joined,
          interop: it.interop, created: it.created, filename: it.filename, url: it.url, circled: it.circled,
          later: await it.later(),
        };
      } };`);
    expect(value).toEqual({
      client: "function",
      values: [0, 39],
      renamed: "default",
      joined: "a/b",
      interop: ["inner", "named"],
      created: "leaf",
      filename: "own",
      url: "file:///node_modules/large-esm/index.js",
      circled: "index in a circle",
      later: "default",
    });
  },
);

test("require loads a large ES module", { timeout: PATIENCE_MS }, async () => {
  const code = `const { value7, default: Client } = require("large-esm");
    module.exports = { run: () => [value7, typeof Client] };`;
  expect(await valueOf(code, "component.js")).toEqual([7, "function"]);
});

test("the same large packages make the same set", { timeout: PATIENCE_MS }, async () => {
  const code = `import it from "large-cjs"; export default { run: () => it.sum() };`;
  const first = await made(code);
  const { hash } = first.dependencies;
  const keys = [hash, `${hash}.1`].map((name) => `dependencies/${name}`);
  const texts = async () => Promise.all(keys.map(async (key) => (await env.CODE.get(key))?.text()));
  const before = await texts();
  expect(before.every((text) => text !== undefined)).toBe(true);
  await env.CODE.delete(keys);
  const other = await made(code.replace(`"large-cjs"`, `"large-cjs/index.js"`));
  expect(other.dependencies.hash).not.toBe(hash);
  expect(await texts()).toEqual([undefined, undefined]);
});

test(
  "an ES module's own createRequire resolves its packages",
  { timeout: PATIENCE_MS },
  async () => {
    const code = `import it from "creating"; export default { run: () => it };`;
    expect(await valueOf(code)).toEqual(["leaf 1.0.0", "1.0.0"]);
  },
);

test("limits the memory for packages that are not compiled", () => {
  const memory = unbundledMemory();
  memory.keep(30 * 2 ** 20, "large@1.0.0");
  expect(() => memory.keep(7 * 2 ** 20, "larger@1.0.0")).toThrow(
    'The package "larger@1.0.0" is too large: with it, the imported packages come to 37.0 MB or more compressed, of 36.0 MB',
  );
  expect(() => memory.compile(13 * 2 ** 20, "vast")).toThrow(
    'The package "vast" is too large: 13.0 MB of code in one file, of 12.0 MB',
  );
});

test("rejects a set with too much reachable code, and names the largest package", async () => {
  const parts: number[] = [];
  const writer = new PartWriter(async (part) => void parts.push(part));
  const file = (path: string, megabytes: number): LinkedFile => ({
    path: `node_modules/${path}`,
    format: "cjs",
    code: ";".repeat(megabytes * 2 ** 20),
    requires: {},
    imports: {},
  });
  await writer.add(file("@acme/small/index.js", 7));
  for (const index of [1, 2, 3, 4])
    await writer.add(file(`small/node_modules/large/${index}.js`, 8));
  await expect(writer.add(file("small/index.js", 2))).rejects.toThrow(
    'The imported packages are too large: more than 40 MB of code that is reached, 32.0 MB or more of it in "large"',
  );
  expect(parts).toHaveLength(5);
});

test.for([true, false])(
  "a stored file keeps its content, whether compressed: %s",
  async (compresses) => {
    for (const text of ["short", "long ".repeat(10_000)]) {
      const bytes = new TextEncoder().encode(text);
      const file = await hold(new Blob([bytes]).stream(), bytes.length, compresses);
      expect(new TextDecoder().decode(await contentsOf(file))).toBe(text);
      expect(file.bytes.length < 5000).toBe(compresses || text === "short");
    }
  },
);

import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { expect, onTestFinished, test } from "vitest";

import { compile } from "../../tools/scripts/local/build.ts";

const KIB = 1_024;

/** KiB of a Worker's modules in a deployment, plain and compressed. */
async function sizeOf(name: "platform" | "bundler") {
  const dir = await mkdtemp(join(tmpdir(), "size-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await compile(dir, name);
  const names = (await readdir(dir)).filter((file) => /\.(js|wasm)$/.test(file));
  const modules = await Promise.all(names.map((file) => readFile(join(dir, file))));
  const script = Buffer.concat(modules);
  return { plain: script.length / KIB, compressed: gzipSync(script).length / KIB };
}

// Every isolate compiles it on its start, so unused code is left out.
test.for([
  // The MCP library is 390 KiB of it, the Connect API and its pages 250, the console's API 130, the descriptions of
  // operations 35, those of fields with examples 80.
  { name: "platform", plain: 3_510, compressed: 830 },
  { name: "bundler", plain: 14_570, compressed: 3_900 },
] as const)("the $name stays within its size limits", async ({ name, ...most }) => {
  const { plain, compressed } = await sizeOf(name);
  expect(plain).toBeLessThan(most.plain);
  expect(compressed).toBeLessThan(most.compressed);
});

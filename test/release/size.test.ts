import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { compile } from "../../tools/scripts/local/build.ts";

const MIB = 2 ** 20;

/** The bytes of a Worker's modules in a deployment. */
async function sizeOf(name: "platform" | "bundler" | "sandbox"): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "size-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  await compile(dir, name);
  const names = (await readdir(dir)).filter((file) => /\.(js|wasm)$/.test(file));
  const sizes = await Promise.all(names.map(async (file) => (await stat(join(dir, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Cloudflare allows 64 MiB and a second of CPU for the start, of which the platform's 3.4 MiB take 0.2 s. So these limits have
 * ample room for code of our own, and fail if a compiler, a parser or a table of data is bundled by accident.
 */
test.for([
  ["platform", 6],
  // The compiler is 13.3 MiB of it.
  ["bundler", 17],
  // Each process of a local run loads it; it is 0.2 MiB.
  ["sandbox", 1],
] as const)("the %s has less than %d MiB", async ([name, mib]) => {
  expect(await sizeOf(name)).toBeLessThan(mib * MIB);
});

import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { PLATFORM_VERSION } from "#domain/version.ts";

const ROOT = join(import.meta.dirname, "../..");

type Manifest = { version?: string; dependencies?: Record<string, string> };

const PACKAGES = ["", "console", "packages/cli", "packages/client", "packages/component"];

async function read(path: string): Promise<string> {
  return await readFile(join(ROOT, path), "utf8");
}

test.for(PACKAGES)("the package in the folder %o has the version of the platform", async (path) => {
  const manifest: Manifest = JSON.parse(await read(join(path, "package.json")));
  const lock: { packages: Record<string, Manifest> } = JSON.parse(await read("package-lock.json"));
  expect(manifest.version).toBe(PLATFORM_VERSION);
  expect(lock.packages[path]?.version).toBe(PLATFORM_VERSION);
  for (const one of [manifest, lock.packages[path]])
    expect(one?.dependencies?.["@wellspring/client"] ?? PLATFORM_VERSION).toBe(PLATFORM_VERSION);
});

test.for(["v1", "connect", "admin"])("the OpenAPI document %s has it, too", async (name) => {
  const { info } = JSON.parse(await read(`.wrangler/contract/${name}.json`));
  expect(info.version).toBe(PLATFORM_VERSION);
});

test("the changelog begins with the changes of the current version", async () => {
  const [, version] = /^## (\S+)/m.exec(await read("CHANGELOG.md")) ?? [];
  expect(version).toBe(PLATFORM_VERSION);
});

import "../scripts/help.ts";
import { execFile } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { build as bundle } from "esbuild";

import { generate } from "../scripts/local/generated.ts";

/**
 * Builds packages/component/dist: the functions that define components with their types, and the runtime of components'
 * tests: the harness, the Worker that calls it, and the code that starts both.
 */

const ROOT = resolve(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/component");
const DIST = join(PACKAGE, "dist");
const HARNESS = join(ROOT, "worker-templates");

await generate(
  {
    name: "component",
    inputs: [
      ...["src", "runner", "driver", "package.json", "tsconfig.build.json"].map(
        (name) => `packages/component/${name}`,
      ),
      "src",
      "worker-templates",
      "package-lock.json",
      "tsconfig.json",
      "tools/packages/component.ts",
    ],
    outputs: ["packages/component/dist"],
  },
  async () => {
    await rm(DIST, { recursive: true, force: true });
    await buildTypes();
    await buildRunner();
    await buildDriver();
    await copyHarness();
  },
);
console.log(`built ${DIST}`);

async function buildTypes(): Promise<void> {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, "-p", join(PACKAGE, "tsconfig.build.json")]);
}

async function buildRunner(): Promise<void> {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(PACKAGE, "package.json"), "utf8"),
  );
  await bundle({
    entryPoints: [join(PACKAGE, "runner/testing.ts")],
    outdir: DIST,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    alias: { zod: join(ROOT, "src/zod/zod.ts") },
    external: Object.keys(manifest.dependencies),
  });
}

async function buildDriver(): Promise<void> {
  await bundle({
    entryPoints: { driver: join(PACKAGE, "driver/main.ts") },
    outdir: join(DIST, "driver"),
    bundle: true,
    format: "esm",
    target: "esnext",
    external: ["cloudflare:workers"],
  });
  await copyFile(join(PACKAGE, "driver/component.js"), join(DIST, "driver/main.js"));
  await copyFile(join(PACKAGE, "driver/clock.js"), join(DIST, "driver/clock.js"));
}

async function copyHarness(): Promise<void> {
  await mkdir(join(DIST, "harness"), { recursive: true });
  const names = (await readdir(HARNESS)).filter((name) => name.endsWith(".worker.js"));
  for (const name of names) await copyFile(join(HARNESS, name), join(DIST, "harness", name));
}

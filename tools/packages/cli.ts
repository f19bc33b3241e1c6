import "../scripts/help.ts";
import { chmod, cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

import { build as bundle } from "esbuild";

import { buildPart, folderOf } from "../scripts/assets/part.ts";
import { PARTS } from "../scripts/assets/parts.ts";
import { buildWorkers } from "../scripts/local/build.ts";
import { commitOf } from "../scripts/local/commit.ts";
import { packTarball } from "./tarball.ts";

/**
 * Builds packages/cli/dist: the command line and the platform that it starts, as plain JavaScript, with the Workers as
 * deployed and the migrations, and the package for authors of components, which `init` copies into folders.
 */

const ROOT = resolve(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/cli");
const DIST = join(PACKAGE, "dist");
const PLATFORM = join(DIST, "platform");

/** Packages that are bundled with some of our files need `require`. */
const REQUIRE = `import { createRequire as createRequireOfFile } from "node:module";
const require = createRequireOfFile(import.meta.url);`;

await rm(DIST, { recursive: true, force: true });
await buildCommands();
await buildPlatform();
await rename(await packTarball("component", DIST), join(DIST, "component.tgz"));
console.log(`built ${DIST}`);

/** A separate chunk for each command, so that no command waits for another one's code. */
async function buildCommands(): Promise<void> {
  const manifest: { dependencies: Record<string, string> } = JSON.parse(
    await readFile(join(PACKAGE, "package.json"), "utf8"),
  );
  await bundle({
    entryPoints: [join(PACKAGE, "src/main.ts")],
    outdir: DIST,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: Object.keys(manifest.dependencies),
    banner: { js: REQUIRE },
  });
}

async function buildPlatform(): Promise<void> {
  const { platform } = await buildWorkers();
  const workers = dirname(platform.dir);
  await mkdir(PLATFORM, { recursive: true });
  await bundle({
    // As deep as the sources: they find the root of the platform relative to their own path.
    entryPoints: {
      start: join(ROOT, "tools/scripts/start.ts"),
      compat: join(ROOT, "tools/compat/run.ts"),
    },
    outdir: join(PLATFORM, "tools/scripts/local"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node22",
    external: ["esbuild-wasm", "miniflare"],
    banner: { js: REQUIRE },
  });
  await cp(workers, join(PLATFORM, "workers", basename(workers)), {
    recursive: true,
    filter: (path) => !path.endsWith(".map"),
  });
  for (const part of PARTS) {
    await buildPart(part);
    await cp(folderOf(part), join(PLATFORM, "assets", part.name), { recursive: true });
  }
  await cp(join(ROOT, "migrations"), join(PLATFORM, "migrations"), { recursive: true });
  const { name, version, type } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const manifest = { name, version, type, gitHead: commitOf(ROOT) };
  await writeFile(join(PLATFORM, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await chmod(join(PACKAGE, "bin/wellspring.js"), 0o755);
}

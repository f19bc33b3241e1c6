import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";

import type { V4WorkerOptions } from "miniflare";

import { ROOT } from "./settings.ts";

/** The configurations of the Workers that make up the platform. */
export const CONFIGS = {
  platform: "wrangler.toml",
  bundler: "wrangler.bundler.toml",
  sandbox: "wrangler.sandbox.toml",
};

/** The inputs of the Workers' builds. */
export const INPUTS = [
  "src",
  "worker-templates",
  "docs/schemas",
  ...Object.values(CONFIGS),
  "tsconfig.json",
  "package-lock.json",
];
const BUILDS = join(ROOT, ".wrangler/build");
const PACKAGED = join(ROOT, "workers");
const OPTIONS = "options.json";
const NO_WARNING = "--disable-warning=ExperimentalWarning";

/** A Worker as a deployment would upload it. */
export type Build = {
  /** Folder of its modules. */
  dir: string;
  /** Its bindings and flags; of variables only those of wrangler.toml, so that it contains no secret. */
  options: Partial<V4WorkerOptions>;
};

/** The Workers of the platform. */
export type Builds = Record<keyof typeof CONFIGS, Build>;

/** Bundle the Workers, unless a bundle of the same files exists, or a package contains them. */
export async function buildWorkers(): Promise<Builds> {
  const dir = await packagedWorkers().catch(() => undefined);
  return buildsIn(dir ?? (await bundledWorkers()));
}

/** The Workers' folder in a package with the platform; its name is the hash of their sources. */
async function packagedWorkers(): Promise<string | undefined> {
  const [name] = await readdir(PACKAGED);
  return name === undefined ? undefined : join(PACKAGED, name);
}

async function bundledWorkers(): Promise<string> {
  const dir = join(BUILDS, await inputHash());
  if (!existsSync(dir)) await build(dir);
  return dir;
}

async function buildsIn(dir: string): Promise<Builds> {
  return {
    platform: await buildIn(join(dir, "platform")),
    bundler: await buildIn(join(dir, "bundler")),
    sandbox: await buildIn(join(dir, "sandbox")),
  };
}

/** The Worker that was compiled into a folder. */
export async function buildIn(dir: string): Promise<Build> {
  return { dir, options: JSON.parse(await readFile(join(dir, OPTIONS), "utf8")) };
}

/** Bundle a Worker of the platform into a folder; `main` replaces the configured entry. */
export async function compile(dir: string, name: keyof Builds, main?: string): Promise<Build> {
  const config = join(ROOT, CONFIGS[name]);
  const wrangler = join(ROOT, "node_modules/wrangler/bin/wrangler.js");
  const entry = main === undefined ? [] : [main];
  const bundle = ["deploy", ...entry, "--config", config, "--dry-run", "--outdir", dir];
  await promisify(execFile)(process.execPath, [wrangler, ...bundle], {
    cwd: ROOT,
    env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
  });
  // In a separate process: wrangler takes some 100 MB, which a serving process would keep.
  const reader = [join(import.meta.dirname, "worker-options.ts"), config, join(dir, OPTIONS)];
  await promisify(execFile)(process.execPath, [NO_WARNING, ...reader], { cwd: ROOT });
  return await buildIn(dir);
}

/** The hash of the files that the Worker is built from. */
export async function inputHash(): Promise<string> {
  const hash = createHash("sha256");
  for (const input of INPUTS) {
    for (const file of await filesUnder(input)) {
      hash.update(`${file}\0`).update(await readFile(join(ROOT, file)));
    }
  }
  return hash.digest("hex").slice(0, 16);
}

async function filesUnder(input: string): Promise<string[]> {
  if (input.includes(".")) return [input];
  const entries = await readdir(join(ROOT, input), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(ROOT.length + 1))
    .toSorted();
}

/** Build beside the destination and rename at the end: an interrupted build never counts as a complete one. */
async function build(dir: string): Promise<void> {
  await mkdir(BUILDS, { recursive: true });
  const unfinished = await mkdtemp(join(BUILDS, "unfinished-"));
  await Promise.all([
    compile(join(unfinished, "platform"), "platform"),
    compile(join(unfinished, "bundler"), "bundler"),
    compile(join(unfinished, "sandbox"), "sandbox"),
  ]);
  // Another process may have built the same at the same time.
  const older = (await readdir(BUILDS)).filter(
    (name) => !name.startsWith("unfinished-") && name !== basename(dir),
  );
  await rename(unfinished, dir).catch(async (error: unknown) => {
    // Another process finished first.
    await rm(unfinished, { recursive: true });
    if (!existsSync(dir)) throw error;
  });
  await Promise.all(older.map((name) => rm(join(BUILDS, name), { recursive: true, force: true })));
}

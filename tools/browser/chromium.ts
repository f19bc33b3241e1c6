import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { arch, env, platform } from "node:process";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";

import { unpackTar } from "modern-tar/fs";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";

const CACHE = join(import.meta.dirname, "../../node_modules/.cache");

/** Root cannot use the system's sandbox; all names resolve to this machine, so that no request leaves it. */
const ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * 127.0.0.1"];

/** The protections of a user's browser that an automated one lacks. */
const PROTECTIONS = ["--disable-popup-blocking"];

/**
 * Start a headless browser: on Linux on x64 the Chromium from the dev dependencies, otherwise the machine's Chrome, or
 * the one at the path in `CHROMIUM`.
 */
export async function launchBrowser(): Promise<Browser> {
  const which = await whichBrowser();
  return chromium.launch({ ...which, args: ARGUMENTS, ignoreDefaultArgs: PROTECTIONS });
}

async function whichBrowser(): Promise<LaunchOptions> {
  const { CHROMIUM: executablePath } = env;
  if (executablePath) return { executablePath };
  if (platform !== "linux" || arch !== "x64") return { channel: "chrome" };
  const folder = await unpacked();
  // After those of the system: these are for machines without them.
  const libraries = [env["LD_LIBRARY_PATH"] ?? "/usr/lib", join(folder, "lib")].join(":");
  return {
    executablePath: join(folder, "chromium"),
    env: { ...env, LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, "fonts") },
  };
}

/** The folder with Chromium, its libraries and fonts. A complete folder gets its final name. */
async function unpacked(): Promise<string> {
  const entry = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const folder = join(CACHE, "chromium");
  if (existsSync(folder)) return folder;
  await mkdir(CACHE, { recursive: true });
  const fresh = await mkdtemp(join(CACHE, "chromium-"));
  try {
    await unpack(join(entry, "../../bin"), fresh);
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    // Another process was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package unpacks its files itself, but all of them for one architecture only. */
async function unpack(from: string, into: string): Promise<void> {
  const read = (name: string) => createReadStream(join(from, name));
  const executable = createWriteStream(join(into, "chromium"), { mode: 0o700 });
  await Promise.all([
    pipeline(read("chromium.br"), createBrotliDecompress(), executable),
    ...["al2023.tar.br", "fonts.tar.br"].map((name) =>
      pipeline(read(name), createBrotliDecompress(), unpackTar(into)),
    ),
  ]);
}

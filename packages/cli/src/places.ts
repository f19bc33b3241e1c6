import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

/** The folder of this package. */
const PACKAGE = resolve(import.meta.dirname, "..");

/** A built package has none. */
const OWN_SOURCES = join(PACKAGE, "src/main.ts");

/** The repository of the package, if this runs in it. */
const TREE = resolve(PACKAGE, "../..");
const TREE_START = join(TREE, "tools/scripts/start.ts");

/** The platform in the package. */
const BROUGHT = join(PACKAGE, "dist/platform");

/** The package for authors of components in the package, which `init` copies into new folders. */
export const COMPONENT_TARBALL = join(PACKAGE, "dist/component.tgz");

/** The folder of the platform that this command line can start: a build, or sources in the repository. */
export function platformRoot(): { root: string; isBuilt: boolean } | undefined {
  if (existsSync(OWN_SOURCES) && existsSync(TREE_START)) return { root: TREE, isBuilt: false };
  return existsSync(join(BROUGHT, "package.json")) ? { root: BROUGHT, isBuilt: true } : undefined;
}

/** The folder of the user's settings. */
function homeFolder(): string {
  return process.env["WELLSPRING_HOME"] || join(homedir(), ".wellspring");
}

/** The state folder of a platform on this machine: that of `npm start` in a clone, else the user's folder. */
export function stateFolder(): string {
  const given = process.env["STATE_DIR"];
  const platform = platformRoot();
  if (platform && !platform.isBuilt) return resolve(platform.root, given || ".wrangler/state");
  return given ? resolve(given) : join(homeFolder(), "state");
}

/** The file in which `login` stores the URL and the key. */
export function configFile(): string {
  return join(homeFolder(), "config.json");
}

/** The folder with a file for each source of `dev`. */
export function sessionsFolder(): string {
  return join(homeFolder(), "dev");
}

/** The recorded URL of the platform on the state folder; it may have ended since. */
export async function runningUrl(): Promise<string | undefined> {
  const noted = await readFile(join(stateFolder(), "running.url"), "utf8").catch(() => "");
  return noted.trim() || undefined;
}

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const ROOT = resolve(import.meta.dirname, "../..");

/** Pack a package, whose `prepack` builds it, into a folder. Returns the path of the tarball. */
export async function packTarball(name: string, folder: string): Promise<string> {
  const workspace = join(ROOT, "packages", name);
  // A calling npm passes its own options in the environment: `--dry-run` would leave out the file.
  const options = ["--workspace", workspace, "--pack-destination", folder, "--dry-run=false"];
  await promisify(execFile)("npm", ["pack", ...options], { cwd: ROOT });
  const { version } = JSON.parse(await readFile(join(workspace, "package.json"), "utf8"));
  return join(folder, `wellspring-${name}-${version}.tgz`);
}

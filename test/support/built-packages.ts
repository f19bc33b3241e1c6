import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "../..");

/** Builds the packages that several files of tests read, so that none of them builds while another one reads. */
export async function setup(): Promise<void> {
  for (const name of ["client", "component"])
    await promisify(execFile)("npm", ["run", "build", "--workspace", `packages/${name}`], {
      cwd: ROOT,
    });
}

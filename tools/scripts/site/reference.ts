import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Write the files of the API reference's page: Scalar's build for browsers, and our script that starts it. */
export async function writeReference(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const entry = fileURLToPath(import.meta.resolve("@scalar/api-reference"));
  await copyFile(join(dirname(entry), "browser/standalone.js"), join(folder, "scalar.js"));
  await copyFile(join(import.meta.dirname, "reference/start.js"), join(folder, "start.js"));
}

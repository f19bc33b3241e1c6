import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { once } from "./once.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Generate the OpenAPI documents and the client of the tests. */
export default async function setup(): Promise<void> {
  await once("documents", generateDocuments);
}

async function generateDocuments(): Promise<void> {
  const script = join(ROOT, "tools/scripts/contract.ts");
  await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", script]);
}

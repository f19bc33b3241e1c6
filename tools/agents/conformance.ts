import "../scripts/help.ts";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { startPlatform } from "../scripts/platform.ts";
import { saveDiagnosticTools } from "./diagnostic-tools.ts";
import { openDoor } from "./door.ts";
import { readResults, report } from "./results.ts";

/** The conformance suite of the protocol's authors. */
const PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The revision of the protocol: the suite runs all scenarios that belong to it. */
const REVISION = "2026-07-28";

const { values } = parseArgs({
  options: { packages: { type: "string" } },
});

const folder = await mkdtemp(join(tmpdir(), "wellspring-mcp-"));
try {
  const packages = values.packages ?? (await install(folder));
  const platform = await startPlatform({ stateDir: join(folder, "state") });
  const door = await openDoor(platform);
  try {
    await saveDiagnosticTools(platform);
    if (!report(await readResults(await run(packages, door.url)))) process.exitCode = 1;
  } finally {
    door.close();
    await platform.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function install(into: string): Promise<string> {
  await promisify(execFile)("npm", ["install", "--prefix", into, "--no-save", PACKAGE]);
  return into;
}

/** Run the suite. Resolves to the folder of its results. */
async function run(packages: string, url: string): Promise<string> {
  const main = join(packages, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const results = join(folder, "results");
  const args = [main, "server", "--url", url, "--requirements", REVISION, "-o", results];
  // The results are reported here; what the suite prints counts scenarios that do not apply as failures.
  const child = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  await once(child, "exit");
  return results;
}

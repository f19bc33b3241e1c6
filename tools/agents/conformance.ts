import "../scripts/help.ts";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { type RunningPlatform, startPlatform } from "../scripts/platform.ts";

/** The conformance suite of the protocol's authors. */
const PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The revision of the protocol: the suite runs all scenarios that belong to it. */
const REVISION = "2026-07-28";

/** The known failures, each with its reason: any other one, and one that is over, fails the run. */
const EXPECTED = join(import.meta.dirname, "expected-failures.yaml");

const { values } = parseArgs({
  options: { packages: { type: "string" } },
});

const folder = await mkdtemp(join(tmpdir(), "wellspring-mcp-"));
try {
  const packages = values.packages ?? (await install(folder));
  const platform = await startPlatform({ stateDir: join(folder, "state") });
  const door = await openDoor(platform);
  try {
    await run(packages, door.url);
  } finally {
    door.server.closeAllConnections();
    door.server.close();
    await platform.stop();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function install(into: string): Promise<string> {
  await promisify(execFile)("npm", ["install", "--prefix", into, "--no-save", PACKAGE]);
  return into;
}

/** Run the suite. A failure exits with 1. */
async function run(packages: string, url: string): Promise<void> {
  const main = join(packages, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
  const scope = ["--requirements", REVISION, "--expected-failures", EXPECTED];
  const args = [main, "server", "--url", url, ...scope, "-o", join(folder, "results")];
  const child = spawn(process.execPath, args, { stdio: "inherit" });
  const [code] = await once(child, "exit");
  if (code !== 0) process.exitCode = 1;
}

/** An address that adds the key to each request: the suite sends none. Other headers pass unchanged. */
async function openDoor({
  url,
  apiKey,
}: RunningPlatform): Promise<{ url: string; server: Server }> {
  const target = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${apiKey}` };
    const { hostname: host, port } = target;
    const sent = request(
      { host, port, path: incoming.url, method: incoming.method, headers },
      (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(outgoing);
      },
    );
    sent.on("error", () => outgoing.destroy());
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("No port was assigned");
  return { url: `http://127.0.0.1:${address.port}/mcp`, server };
}

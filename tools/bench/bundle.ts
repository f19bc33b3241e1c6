import "../scripts/help.ts";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { freePort } from "../scripts/local/ports.ts";
import { measurePeaks, type Peak, totalOf } from "./bundle/memory.ts";

/** Nearly every component imports it. */
const PACKAGE = "@pipedream/platform";

/** The largest packages that components use. */
const LARGEST = [
  "googleapis",
  "twilio",
  "@hubspot/api-client",
  "snowflake-sdk",
  "discord.js",
  "mongodb",
  "firebase-admin",
  "stripe",
  "@aws-sdk/client-s3",
  PACKAGE,
];

const COLD_RUNS = 3;
const WARM_RUNS = 20;
const MAX_COLD_RATIO = 1.5;
const MAX_WARM_MS = 300;

/** The maximum memory of the bundler, out of an isolate's 128 MB. */
const MAX_PEAK_BYTES = 110 * 2 ** 20;

const KEY = "bench";
const run = promisify(execFile);

const native: number[] = [];
const cold: number[] = [];
const warm: number[] = [];
for (let round = 0; round < COLD_RUNS; round += 1) {
  native.push(await measureNative());
  const figures = await measureOurs();
  cold.push(figures.cold);
  warm.push(...figures.warm);
}
const ratio = median(cold) / median(native);
console.log(`npm install + native esbuild of ${PACKAGE}: ${whole(median(native))} ms`);
console.log(`POST /components, cold: ${whole(median(cold))} ms (${ratio.toFixed(2)} times that)`);
console.log(
  `POST /components, warm: ${whole(median(warm))} ms, at most ${whole(Math.max(...warm))} ms`,
);

const peaks = [];
for (const packages of [LARGEST, LARGEST.toReversed()]) {
  console.log("\npeak memory of one isolate that bundles these in turn");
  console.log("(compiler + heap + buffers)");
  for (const peak of await measurePeaks(packages, await npmRegistry())) {
    console.log(lineOf(peak));
    peaks.push(totalOf(peak));
  }
}
const largest = Math.max(...peaks);
console.log(`\nat most ${megabytes(largest)} MB of the ${megabytes(MAX_PEAK_BYTES)} MB allowed`);

if (ratio > MAX_COLD_RATIO || median(warm) > MAX_WARM_MS || largest > MAX_PEAK_BYTES)
  process.exitCode = 1;

/** The cold baseline: no cache, no lockfile. */
async function measureNative(): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), "bench-native-"));
  await writeFile(join(dir, "package.json"), "{}");
  await writeFile(join(dir, "component.mjs"), component("native"));
  const startedAt = performance.now();
  const cache = join(dir, "cache");
  await run("npm", ["install", "--cache", cache, "--no-audit", "--no-fund", PACKAGE], { cwd: dir });
  const esbuild = join(import.meta.dirname, "../../node_modules/.bin/esbuild");
  const options = ["--bundle", "--platform=node", "--format=esm", "--outfile=bundle.js"];
  await run(esbuild, ["component.mjs", ...options], { cwd: dir });
  const ms = performance.now() - startedAt;
  await rm(dir, { recursive: true });
  return ms;
}

/** Also cold: a fresh platform with empty state. Then repeated warm builds. */
async function measureOurs(): Promise<{ cold: number; warm: number[] }> {
  const stateDir = await mkdtemp(join(tmpdir(), "bench-state-"));
  const port = await freePort();
  const platform = await start(port, stateDir);
  try {
    const first = await post(port, "cold");
    const others: number[] = [];
    for (let index = 0; index < WARM_RUNS; index += 1)
      others.push(await post(port, `warm-${index}`));
    return { cold: first, warm: others };
  } finally {
    const ended = new Promise((resolve) => platform.once("exit", resolve));
    platform.kill("SIGTERM");
    await ended;
    await rm(stateDir, { recursive: true });
  }
}

async function start(port: number, stateDir: string): Promise<ChildProcess> {
  const platform = spawn(process.execPath, ["tools/scripts/start.ts"], {
    env: { ...process.env, PORT: String(port), STATE_DIR: stateDir, DEV_API_KEY: KEY },
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface(platform.stdout)) if (line.startsWith("ready")) break;
  return platform;
}

async function post(port: number, name: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`http://127.0.0.1:${port}/v1/components`, {
    method: "POST",
    headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ component_code: component(name) }),
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return performance.now() - startedAt;
}

function component(name: string): string {
  return `import { axios } from "${PACKAGE}";
    export default { name: "${name}", version: "0.0.1", run() { return axios; } };`;
}

async function npmRegistry(): Promise<string> {
  return (await run("npm", ["config", "get", "registry"])).stdout.trim();
}

function lineOf(peak: Peak): string {
  const parts = [peak.compilerBytes, peak.heapBytes, peak.bufferBytes]
    .map((bytes) => megabytes(bytes))
    .join(" + ");
  const came = peak.refused || `${megabytes(peak.bytes)} MB of ${peak.packages} packages`;
  const total = megabytes(totalOf(peak)).padStart(4);
  return `${peak.package.padEnd(22)} ${total} MB (${parts}), ${whole(peak.ms)} ms watched: ${came}`;
}

function megabytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(bytes < 2 ** 20 ? 1 : 0);
}

function whole(ms: number): string {
  return ms.toFixed(0);
}

function median(figures: number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;
}

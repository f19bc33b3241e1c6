import "../scripts/help.ts";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";

import { startPlatform } from "../scripts/platform.ts";
import { tryBrowser } from "./browser.ts";
import { startShop } from "./fake-shop.ts";
import { METHODS } from "./methods.ts";
import { FAULTY } from "./python/calls.ts";
import { hasPythonSdk, type PythonResult, tryRequests, trySdk } from "./python/run.ts";
import { type Method, prepareWorld, type Sdk, type World } from "./world.ts";

/** The SDK, and the React components based on it. */
const PACKAGES = [
  "@pipedream/sdk@3.1.6",
  "@pipedream/connect-react@3.0.1",
  "react@19",
  "react-dom@19",
];

/** The result of a method: it works as the SDK expects, it is rejected with a reason, or it does something else. */
type MethodResult = { method: string; result: "pass" | "501" | "differs"; reason: string };

const { values } = parseArgs({
  options: {
    sdk: { type: "string" },
    only: { type: "string" },
    python: { type: "string", default: "python3" },
  },
});

const folder = await mkdtemp(join(tmpdir(), "wellspring-connect-"));
const shop = await startShop();
try {
  const packages = values.sdk ?? (await install(folder));
  const sdk = await loadSdk(packages);
  const platform = await startPlatform({ stateDir: join(folder, "state") });
  try {
    const world = await prepareWorld(platform, shop, sdk);
    const results: MethodResult[] = [];
    for (const [method, run] of Object.entries(METHODS))
      if (!values.only || method.startsWith(values.only))
        results.push(await tried(method, () => run(world)));
    report(results);
    if (!values.only) await tryPython(world);
  } finally {
    await platform.stop();
  }
  if (!values.only) reportBrowser(await tryBrowser(packages));
} finally {
  await shop.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The SDK's licence forbids shipping it: install it beside the project to run this. */
async function install(into: string): Promise<string> {
  await promisify(execFile)("npm", ["install", "--no-save", "--prefix", into, ...PACKAGES]);
  return into;
}

async function loadSdk(from: string): Promise<Sdk> {
  const load = createRequire(join(from, "package.json"));
  return load("@pipedream/sdk");
}

async function tried(method: string, run: () => ReturnType<Method>): Promise<MethodResult> {
  try {
    await run();
    return { method, result: "pass", reason: "" };
  } catch (error) {
    const [{ statusCode, body }, reason] = [Object(error), String(Object(error).message ?? error)];
    const message = Object(body).error;
    const isRefused = statusCode === 501;
    return {
      method,
      result: isRefused ? "501" : "differs",
      reason: typeof message === "string" && isRefused ? message : reason.replaceAll(/\s+/g, " "),
    };
  }
}

function report(results: readonly MethodResult[]): void {
  console.log("| method | result | reason |\n|---|---|---|");
  for (const { method, result, reason } of results)
    console.log(`| \`${method}\` | ${result} | ${reason.slice(0, 300)} |`);
  const count = (result: string): number => results.filter((one) => one.result === result).length;
  console.log(
    `\n${count("pass")} of ${results.length} pass, ${count("501")} are refused, ${count("differs")} differ`,
  );
  if (count("differs") > 0) process.exitCode = 1;
}

/** Send the requests of the Python SDK, and call the SDK itself if the interpreter has it. */
async function tryPython(world: World): Promise<void> {
  reportPython("request of the Python SDK", await tryRequests(world));
  if (await hasPythonSdk(values.python))
    reportPython("method of the Python SDK", await trySdk(world, values.python));
  else console.log(`\nThe Python SDK was not called: ${values.python} does not have it`);
  for (const [method, reason] of Object.entries(FAULTY))
    console.log(`Not tried: \`${method}\`. ${reason}`);
}

function reportPython(title: string, results: readonly PythonResult[]): void {
  const failed = results.filter(({ error }) => error !== undefined);
  console.log(`\n| ${title} | result |\n|---|---|`);
  for (const { method, error } of failed) console.log(`| \`${method}\` | ${error} |`);
  const [all, failing] = [results, failed].map((some) => new Set(some.map(({ method }) => method)));
  console.log(`\n${(all?.size ?? 0) - (failing?.size ?? 0)} of ${all?.size} pass`);
  if (failed.length > 0) process.exitCode = 1;
}

function reportBrowser(results: Awaited<ReturnType<typeof tryBrowser>>): void {
  console.log("\n| in a browser | result |\n|---|---|");
  for (const { name, error } of results) console.log(`| ${name} | ${error ?? "pass"} |`);
  if (results.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

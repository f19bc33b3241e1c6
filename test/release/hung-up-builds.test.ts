import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
// oxlint-disable-next-line wellspring/no-sleep -- The moment is the input: a build shows no progress to its caller.
import { setTimeout as wait } from "node:timers/promises";

import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { beforeAll, expect, onTestFinished, test } from "vitest";

import type { SentBundled } from "#bundler/contract.ts";
import { withTimeout } from "#domain/timeout.ts";

import { type Build, compile } from "../../tools/scripts/local/build.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { workerOf } from "../../tools/scripts/local/serve.ts";

/** Its requests end with their clients, and cancel the calls that they wait for. */
const CALLER = `export default { async fetch(request, env) {
  return Response.json(await env.BUNDLER.bundle(await request.json()));
} };`;

/** An unfinished turn ends after 12 s, and holds others up until then. */
const TURN_MS = 11_000;

/** Unreleased room becomes free after three minutes. */
const STAY_MS = 60_000;

type Files = Record<string, string>;

let build: Build;

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), "wellspring-hung-up-"));
  build = await compile(dir, "bundler");
  return () => rm(dir, { recursive: true });
});

/** A bundler whose compiler has not started yet, and the port of a Worker that calls it. */
async function startBundler(): Promise<number> {
  const port = await freePort();
  const caller = {
    name: "caller",
    modules: [{ type: "ESModule" as const, path: "caller.js", contents: CALLER }],
    compatibilityDate: "2026-10-01",
    serviceBindings: { BUNDLER: { name: "wellspring-bundler", entrypoint: "Bundler" } },
    unsafeDirectSockets: [{ host: "127.0.0.1", port }],
  };
  const variables = { NPM_REGISTRY_URL: "http://127.0.0.1:1" };
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      workers: [caller, await workerOf("wellspring-bundler", build, variables)],
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
    }),
  );
  onTestFinished(() => miniflare.dispose());
  await miniflare.ready;
  return port;
}

const MANY = Array.from({ length: 500 }, (_, index) => `part-${index}.js`);

/** A component of so many files that the compiler waits for the runtime repeatedly during its build. */
function largeComponent(): Files {
  const imports = MANY.map((name, index) => `import part${index} from "./${name}";`);
  const entry = `${imports.join("\n")}\nexport default { name: "Large", run() {} };`;
  return {
    "component.js": entry,
    ...Object.fromEntries(MANY.map((n) => [n, "export default 1;"])),
  };
}

const SMALL: Files = {
  "component.js": `export default { name: "Small", version: "0.0.1", run() {} };`,
};

function send(port: number, client: string, files: Files) {
  const sent = request({ port, method: "POST" });
  sent.end(JSON.stringify({ client, files: { entry: "component.js", files } }));
  return sent;
}

async function built(port: number, client: string, files: Files = SMALL): Promise<SentBundled> {
  const sent = send(port, client, files);
  const [response] = await once(sent, "response");
  return (await json(response)) as SentBundled;
}

/** Begin a build, and close its connection after a while. */
async function hangUp(port: number, ms: number, files = largeComponent()): Promise<void> {
  const sent = send(port, "eve", files);
  const ended = once(sent, "close").catch(() => {});
  sent.on("response", () => expect.fail("It was built before its caller hung up"));
  // The moment is the input: a build shows no progress to its caller.
  await wait(ms);
  sent.socket?.resetAndDestroy();
  await ended;
}

/** Whether another user's next build ends before an unfinished turn would. */
async function isBuiltSoon(port: number): Promise<boolean> {
  const isOk = async () => (await built(port, "ada")).ok;
  return await withTimeout(isOk(), TURN_MS, () => false);
}

test("a caller that hangs up during the compiler's start does not end it for others", async () => {
  const port = await startBundler();
  await hangUp(port, 50);
  expect(await isBuiltSoon(port)).toBe(true);
});

test("a caller that hangs up during a build does not block the compiler for others", async () => {
  const port = await startBundler();
  await built(port, "ada");
  for (const ms of [20, 60, 120]) {
    await hangUp(port, ms);
    expect(await isBuiltSoon(port)).toBe(true);
  }
});

test("a build with a hung-up caller releases its room", async () => {
  const port = await startBundler();
  await built(port, "ada");
  // In a file without an importer: it waits with the others, and is not compiled.
  const files = { ...largeComponent(), "notes.txt": "x".repeat(4_000_000) };
  await hangUp(port, 60, files);
  const isBuilt = async () => (await built(port, "ada", files)).ok;
  await expect.poll(isBuilt, { timeout: STAY_MS, interval: 200 }).toBe(true);
});

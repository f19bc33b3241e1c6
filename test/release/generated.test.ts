import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { beforeAll, afterAll, expect, onTestFinished, test } from "vitest";

import { packTarball } from "../../tools/packages/tarball.ts";
import { type RunningPlatform, startPlatform } from "../../tools/scripts/platform.ts";
import { MACHINE_PATH } from "../support/cli.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const PACKAGE = join(ROOT, "packages/client");
const SCRATCH = join(ROOT, ".wrangler");
const run = promisify(execFile);

const COMPONENT = `export default {
  name: "Greeter", version: "0.0.1",
  props: { greeting: "string", names: "string[]", http: "$.interface.http" },
  run() { this.$emit({ text: this.greeting + " " + this.names.join(" and ") }); },
};`;

/** A user's program: a source with props of two kinds, and two events of it. */
const USE_PACKAGE = `import { createClient, WellspringError } from "@wellspring/client";
const [baseUrl = "", apiKey = ""] = process.argv.slice(2);
const client = createClient({ baseUrl, apiKey });
const { data: source } = await client.post("/sources", {
  body: {
    component_code: ${JSON.stringify(COMPONENT)},
    configured_props: { greeting: "Hello", names: ["Ada", "Grace"] },
  },
});
const id: string = source.id;
const http: unknown = source.configured_props["http"];
const { endpoint_url: url } = http as { endpoint_url: string };
const streamed = client.follow(id, { lastEventId: "0-0", signal: AbortSignal.timeout(30_000) });
for (const n of [1, 2]) await fetch(url, { method: "POST", body: String(n) });
const texts: unknown[] = [];
for await (const { event } of streamed) if (texts.push(event) === 2) break;
const listed: string[] = [];
const query = { limit: 1 };
for await (const summary of client.list("/sources/{id}/event_summaries", { params: { path: { id }, query } }))
  listed.push(summary.id);
const params = { path: { id } };
const nothing: undefined = await client.delete("/sources/{id}", { params });
const error: unknown = await client.get("/sources/{id}", { params }).catch((thrown: unknown) => thrown);
const code = error instanceof WellspringError && error.requestId ? error.code : "";
console.log(JSON.stringify({ texts, listed: listed.length, nothing: nothing ?? null, code }));
`;

const USE_OAZAPFTS = `import { createSource, defaults } from "./client.ts";
const [baseUrl = "", apiKey = ""] = process.argv.slice(2);
defaults.baseUrl = baseUrl + "/v1";
defaults.headers = { authorization: "Bearer " + apiKey };
const response = await createSource({
  body: {
    component_code: ${JSON.stringify(COMPONENT)},
    configured_props: { greeting: "Hello", names: ["Ada"] },
  },
});
if (response.status !== 200) throw new Error(response.data.error);
const { name, configured_props: props } = response.data.data;
const kept: unknown[] = [props["greeting"], props["names"]];
console.log(JSON.stringify({ name, kept }));
`;

const platform: { running?: RunningPlatform; stateDir?: string } = {};

beforeAll(async () => {
  platform.stateDir = await mkdtemp(join(tmpdir(), "client-"));
  platform.running = await startPlatform({ stateDir: platform.stateDir });
});

afterAll(async () => {
  await platform.running?.stop();
  if (platform.stateDir) await rm(platform.stateDir, { recursive: true, force: true });
});

async function emptyFolder(parent: string): Promise<string> {
  const folder = await mkdtemp(join(parent, "consumer-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  return folder;
}

/** Compile a folder with the strict rules of TypeScript 5, like a user of ours. */
async function compile(folder: string): Promise<void> {
  const compilerOptions = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    lib: ["es2022", "dom", "dom.iterable", "dom.asynciterable"],
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
    rewriteRelativeImportExtensions: true,
    outDir: "out",
  };
  const config = { compilerOptions, include: ["*.ts"] };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(PACKAGE, "node_modules/.bin/tsc");
  await run(tsc, ["-p", folder]).catch((failure: { stdout: string }) => {
    throw new Error(failure.stdout);
  });
}

/** The output of a compiled program that gets the platform's URL. */
async function printed(folder: string): Promise<unknown> {
  const { url = "", apiKey = "" } = platform.running ?? {};
  const args = [join(folder, "out/use.js"), url.replace(/\/v1$/, ""), apiKey];
  const { stdout } = await run("node", args, { env: { ...process.env, PATH: MACHINE_PATH } });
  return JSON.parse(stdout);
}

test("the packed client installs, compiles and works with Node 20", async () => {
  const folder = await emptyFolder(tmpdir());
  const install = ["install", "--no-audit", "--no-fund", await packTarball("client", folder)];
  const env = { ...process.env, PATH: MACHINE_PATH };
  await run("npm", install, { cwd: folder, env });
  const files = await readdir(join(folder, "node_modules/@wellspring/client"));
  expect(files.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
  await writeFile(join(folder, "use.ts"), USE_PACKAGE);
  await compile(folder);
  await expect(printed(folder)).resolves.toEqual({
    texts: [{ text: "Hello Ada and Grace" }, { text: "Hello Ada and Grace" }],
    listed: 2,
    nothing: null,
    code: "not_found",
  });
});

test("the client that oazapfts generates compiles, and deploys a source with props", async () => {
  const folder = await emptyFolder(SCRATCH);
  const client = await readFile(join(ROOT, "test/support/client.generated.ts"), "utf8");
  await writeFile(join(folder, "client.ts"), client.replace("// @ts-nocheck\n", ""));
  await writeFile(join(folder, "use.ts"), USE_OAZAPFTS);
  await compile(folder);
  await expect(printed(folder)).resolves.toEqual({ name: "greeter", kept: ["Hello", ["Ada"]] });
});

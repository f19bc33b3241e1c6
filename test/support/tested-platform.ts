import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";

import { readD1Migrations } from "@cloudflare/vitest-plugin";
import { kCurrentWorker, Response } from "miniflare";

import { type Build, buildIn, compile, INPUTS } from "../../tools/scripts/local/build.ts";
import { generate } from "../../tools/scripts/local/generated.ts";
import { workerOf } from "../../tools/scripts/local/serve.ts";
import { ACCOUNT_ID, NAMESPACE, serveCloudflare, TOKEN } from "./cloudflare/server.ts";
import { once } from "./once.ts";

/** The adapter that runs user code: the loader, scripts of a dispatch namespace, or a sandbox beside the platform. */
export const USER_CODE = userCodeNamed(process.env["USER_CODE"] ?? "loader");
const IS_SANDBOX = USER_CODE === "sandbox";

const registry = once("registry", () =>
  execFileSync("npm", ["config", "get", "registry"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }),
);

function userCodeNamed(name: string): "loader" | "dispatch" | "sandbox" {
  if (name === "loader" || name === "dispatch" || name === "sandbox") return name;
  throw new Error(`USER_CODE: ${name} is not one of loader, dispatch, sandbox`);
}

/** Variables of the platform and of the bundler's Worker. */
const REGISTRY = { NPM_REGISTRY_URL: registry.trim(), ALLOW_PRIVATE_TARGETS: "true" };

/** The variables of the platform under test. */
const bindings = async () => ({
  TEST_MIGRATIONS: await readD1Migrations("migrations"),
  ADMIN_TOKEN: "operator",
  MASTER_KEY: "0123456789abcdef".repeat(4),
  PREVIOUS_MASTER_KEYS: "fedcba9876543210".repeat(4),
  PUBLIC_URL: "http://wellspring.test",
  // Tests of the whole contract send more requests than a client may.
  RATE_LIMIT: "100000",
  LOG_LEVEL: "warn",
  ...REGISTRY,
  USER_CODE: IS_SANDBOX ? "loader" : USER_CODE,
  QUEUE_SHARDS: "2",
  WORKFLOW_SHARDS: "2",
  ...(IS_SANDBOX && { SANDBOXES: "1", SANDBOX_TOKEN: "supervisor" }),
  DISPATCH_NAMESPACE: NAMESPACE,
  CLOUDFLARE_ACCOUNT_ID: ACCOUNT_ID,
  CLOUDFLARE_API_TOKEN: TOKEN,
  CLOUDFLARE_API_URL: `${(await serveCloudflare()).origin}/client/v4`,
});

/** The Worker that bundles, beside the one under test, as a deployment has it. Built once, if a runtime needs it. */
const bundler = () =>
  once("bundler", async () => workerOf("wellspring-bundler", await built("bundler"), REGISTRY));

const sandbox = () => once("sandbox", () => built("sandbox"));

/** A Worker of the platform, compiled unless it was compiled from the same files before. */
async function built(name: "bundler" | "sandbox"): Promise<Build> {
  const folder = `.wrangler/test/${name}`;
  const files = { name: `test-${name}`, inputs: INPUTS, outputs: [folder] };
  const dir = join(resolve("."), folder);
  await generate(files, async () => void (await compile(dir, name)));
  return await buildIn(dir);
}

/** A sandbox beside the platform of a project: a Worker of the same runtime, for none here shares two processes. */
async function sandboxOf(project: string) {
  const { VERSION, ...variables } = {
    ...REGISTRY,
    PUBLIC_URL: "http://wellspring.test",
    EVENTS_URL: "",
    EGRESS_GATEWAY_URL: "",
    SANDBOX_TOKEN: "supervisor",
    VERSION: { id: "test" },
  };
  const worker = await workerOf("wellspring-sandbox", await sandbox(), variables);
  return {
    ...worker,
    bindings: { ...worker.bindings, VERSION },
    serviceBindings: {
      PLATFORM: { name: `vitest-plugin-runner-${project}`, entrypoint: "SandboxHost" },
    },
  };
}

const SANDBOX_BINDINGS = {
  ...Object.fromEntries(
    ["SANDBOX_0_0", "QUARANTINE_trial", "QUARANTINE_confined"].map((name) => [
      name,
      { name: "wellspring-sandbox", entrypoint: "Sandbox" },
    ]),
  ),
  SUPERVISOR: () => new Response(null, { status: 204 }),
};

/** Classes of the test Worker itself: a dispatch namespace, and a caller to hang up on. */
const OWN_BINDINGS = {
  DISPATCH: { name: kCurrentWorker, entrypoint: "Dispatcher" },
  UNATTENDED: { name: kCurrentWorker, entrypoint: "Unattended" },
};

/** More than one queue and engine, as large deployments have them: all tests run on these. */
const SHARDS = {
  queueProducers: { EMISSIONS_1: { queueName: "emissions-1" } },
  queueConsumers: { "emissions-1": { maxBatchSize: 100, maxBatchTimeout: 0, maxRetries: 5 } },
  workflows: { RUNS_1: { name: "wellspring-runs-1", className: "Run" } },
};

/** What a runtime of a test project has beside the configuration of wrangler: Miniflare's options. */
export async function runtimeOptions(project: string) {
  return {
    ...SHARDS,
    // A bucket that the sweep clears, so that it deletes no code of other tests.
    r2Buckets: { SWEPT_CODE: "swept-code" },
    serviceBindings: {
      ...OWN_BINDINGS,
      ...(IS_SANDBOX && SANDBOX_BINDINGS),
    },
    bindings: await bindings(),
    workers: [await bundler(), ...(IS_SANDBOX ? [await sandboxOf(project)] : [])],
  };
}

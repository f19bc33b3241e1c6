import { connect, probe } from "#db/client.ts";
import { queuesOf } from "#domain/queues.ts";
import { shardsIn } from "#domain/shards.ts";
import { probeLoader, probeNamespace } from "#sandbox/probe.ts";
import { processesOf } from "#sandbox/processes/processes.ts";
import { OFF, type Probes } from "#services/health.ts";

import { openBundler } from "./bundler.ts";
import { requireSpace } from "./disk.ts";

/** The object of each class that health checks call. It is empty. */
const PROBED = "health";

/** All possible bindings of this deployment except data and the open network of local runs. */
type Binding = Exclude<
  {
    [Name in keyof Env]-?: NonNullable<Env[Name]> extends string | WorkerVersionMetadata
      ? never
      : Name;
  }[keyof Env],
  "OPERATOR_NETWORK" | "SUPERVISOR" | "BUNDLER_PROCESS" | "MACHINE"
>;

type Call = () => Promise<unknown>;

/** A check by one call, or by one of each shard. */
type Probe = { check: string } & (
  | { run: (env: Env) => Promise<unknown> }
  | { runEach: (env: Env) => Call[] }
);

/**
 * The probes of each binding, by the name of its check. One of a failed dependency throws or never ends. No probe writes. A
 * binding without a probe does not compile.
 */
const PROBES: Record<Binding, Probe> = {
  DB: { check: "database", run: ({ DB }) => probe(connect(DB)) },
  CODE: { check: "code_store", run: ({ CODE }) => CODE.head("health") },
  EMISSIONS: {
    check: "queue",
    runEach: (env) => [...queuesOf(env).values()].map((queue) => () => queue.metrics()),
  },
  SOURCES: { check: "sources", run: ({ SOURCES }) => SOURCES.getByName(PROBED).current() },
  WEBHOOKS: { check: "webhooks", run: ({ WEBHOOKS }) => WEBHOOKS.getByName(PROBED).status() },
  WORKFLOWS: { check: "workflows", run: ({ WORKFLOWS }) => WORKFLOWS.getByName(PROBED).current() },
  IMPORTS: { check: "import_engine", run: ({ IMPORTS }) => isUnknownInstance(IMPORTS) },
  RUNS: {
    check: "workflow_engine",
    runEach: (env) =>
      shardsIn(env, "RUNS", env.RUNS).map((engine) => () => isUnknownInstance(engine)),
  },
  DATA_STORES: {
    check: "data_stores",
    run: ({ DATA_STORES }) => DATA_STORES.getByName(PROBED).size(),
  },
  RATE_LIMITS: {
    check: "rate_limits",
    run: ({ RATE_LIMITS }) => RATE_LIMITS.getByName(PROBED).count(),
  },
  ACCOUNTS: {
    check: "accounts",
    run: ({ ACCOUNTS }) => ACCOUNTS.getByName(PROBED).credentials("u_health"),
  },
  OWNERS: { check: "owners", run: ({ OWNERS }) => OWNERS.getByName(PROBED).routes(PROBED, []) },
  APPHOOKS: { check: "apphooks", run: ({ APPHOOKS }) => APPHOOKS.getByName(PROBED).progress() },
  SCRIPTS: {
    check: "scripts",
    run: ({ SCRIPTS, DISPATCH_NAMESPACE }) =>
      SCRIPTS.getByName(DISPATCH_NAMESPACE || PROBED).leastChecked(1),
  },
  ASSETS: { check: "assets", run: ({ ASSETS }) => requireAssets(ASSETS) },
  BUNDLER: { check: "bundler", run: (env) => openBundler(env).probe() },
  // Also if components run as scripts: the loader evaluates code during a deployment, and replaces missing scripts.
  LOADER: { check: "loader", runEach: loaderProbes },
  DISPATCH: { check: "dispatch_namespace", run: probeNamespace },
  DISK: { check: "disk", run: requireSpace },
  // These have no operation without an effect; this only detects a missing binding.
  EMAIL: { check: "email", run: async ({ EMAIL }) => requireMethod(EMAIL, "send") },
  METRICS: {
    check: "metrics",
    run: async ({ METRICS, METRICS_ENABLED }) => requireMetrics(METRICS, METRICS_ENABLED),
  },
  EGRESS_USAGE: {
    check: "egress_usage",
    run: async ({ EGRESS_USAGE, METRICS_ENABLED }) => requireMetrics(EGRESS_USAGE, METRICS_ENABLED),
  },
};

/** The health checks of this deployment. An unused namespace without a binding is not checked. */
export function probesOf(env: Env): Probes {
  const usesNamespace = env.DISPATCH !== undefined || env.USER_CODE === "dispatch";
  return Object.fromEntries(
    Object.entries(PROBES)
      .filter(([name]) => name !== "DISPATCH" || usesNamespace)
      .filter(([name]) => name !== "DISK" || env.DISK !== undefined)
      .map(([, one]) => [one.check, callsOf(one, env)]),
  );
}

/** A missing binding fails in its call, not here. */
function callsOf(check: Probe, env: Env): Call[] {
  return "run" in check ? [async () => check.run(env)] : check.runEach(env);
}

/** A call of the loader in each sandbox process, or in this process if there are none. */
function loaderProbes(env: Env): Call[] {
  const processes = processesOf(env);
  if (!processes) return [() => probeLoader(env)];
  return Array.from({ length: processes.count }, (_, place) => () => processes.at(place).probe());
}

/** The engine's error for an unknown instance. */
async function isUnknownInstance(engine: Env["IMPORTS"] | Env["RUNS"]): Promise<void> {
  try {
    const instance = await engine.get(PROBED);
    await instance.status();
  } catch (error) {
    if (!(error instanceof Error && /not.?found/i.test(error.message))) throw error;
  }
}

/** The response for a missing file is 404. */
async function requireAssets(assets: Env["ASSETS"]): Promise<void> {
  const { status, body } = await assets.fetch("https://assets.invalid/health");
  await body?.cancel();
  if (status >= 500) throw new Error(`The static assets respond with ${status}`);
}

function requireMetrics(dataset: object | undefined, isEnabled: string): typeof OFF | undefined {
  if (isEnabled === "false") return OFF;
  requireMethod(dataset, "writeDataPoint");
  return undefined;
}

function requireMethod(binding: object | undefined, method: string): void {
  if (typeof Reflect.get(binding ?? {}, method) !== "function")
    throw new Error("The binding does not exist");
}

import { Refusal } from "../local/refusal.ts";
import { type Account, openAccount } from "./account.ts";
import { addressed } from "./address.ts";
import type { Api } from "./api.ts";
import { bundlerConfig, uploadBundler } from "./bundler.ts";
import { checkCanary, checkHealth, TIMEOUTS, type Timeouts, type Reach } from "./canary.ts";
import { checkDeployment } from "./check.ts";
import {
  type Config,
  configOf,
  type Environment,
  GENERATED,
  type Workers,
  writeConfig,
  writeRedirect,
} from "./config.ts";
import { migrateDatabases } from "./migrations.ts";
import { checkOffers } from "./offers.ts";
import { uploadOutbound } from "./outbound.ts";
import {
  namedRelease,
  NOTHING_RUNS,
  type Running,
  runningWorker,
  uploadWorker,
} from "./release.ts";
import { openReport, type Report } from "./report.ts";
import { ensureResources, knowsDatabase } from "./resources.ts";
import { secretsFileOf, type Secrets, settleSecrets } from "./secrets.ts";
import { type ShardCounts, withShards } from "./shards.ts";
import { openTools, type Tools } from "./tools.ts";
import { withUserCode } from "./user-code.ts";
import type { WranglerTimeouts } from "./wrangler.ts";

export type Options = {
  environment: Environment;
  /** List the steps, and execute none. */
  dryRun: boolean;
  /** Leave out the events that are sent through the new release. */
  skipCanary: boolean;
  /** Create a master key although there is a database. */
  newMasterKey: boolean;
  /** Keep no metrics: for an account without Analytics Engine. */
  withoutMetrics: boolean;
  /** Report everything that can be known without changing anything, and end. */
  check: boolean;
  /** The number of queues and engines of workflow runs for new work. */
  shards: ShardCounts;
};

/** The external dependencies of a deployment. */
export type World = {
  environment: Record<string, string | undefined>;
  print: (line: string) => void;
  reach?: Reach;
  timeouts?: Timeouts;
  secretsFolder?: string;
  /** The folder to upload as static assets, in place of the output of `npm run build:docs`. */
  assetsFolder?: string;
  /** The folder of the configuration that wrangler reads. */
  configFolder?: string;
  api?: (token: string) => Api;
  wranglerTimeouts?: WranglerTimeouts;
};

/**
 * Deploy the platform in this folder to an account in any state. Existing resources stay, so the next run completes an
 * interrupted one. Throws a `Refusal` with the failure and the next step.
 */
export async function deployPlatform(options: Options, world: World): Promise<void> {
  const report = openReport(options.dryRun, world.print);
  const account = await openAccount(world.environment, world.api);
  const wanted = await wantedConfig(options.environment, world);
  if (options.check) {
    wanted.platform = withShards(wanted.platform, options.shards, NOTHING_RUNS, report);
    return checkDeployment(account, wanted, report);
  }
  const file = secretsFileOf(options.environment, world.secretsFolder);
  const running = {
    platform: await runningWorker(account, wanted.platform.name),
    bundler: await runningWorker(account, wanted.bundler.name),
  };
  wanted.platform = withShards(wanted.platform, options.shards, running.platform, report);
  const secrets = await settleSecrets(
    {
      file,
      environment: world.environment,
      remote: { platform: running.platform.secrets, bundler: running.bundler.secrets },
      knowsDatabase: !options.newMasterKey && (await knowsDatabase(account, wanted.platform)),
    },
    report,
  );
  if (!options.skipCanary) requireOperator(secrets.known);
  const { withoutMetrics } = options;
  const offers = { config: wanted.platform, running: running.platform, withoutMetrics };
  wanted.platform = await checkOffers(account, offers, report);

  const { environment, configFolder = GENERATED, wranglerTimeouts: timeouts } = world;
  const own = { ...environment, CLOUDFLARE_ACCOUNT_ID: account.id };
  const tools = openTools(report, configFolder, { environment: own, timeouts });
  const { missing } = secrets;
  const config = await release({ options, account, wanted, running, missing }, tools);
  await verify({ options, world, config, file }, secrets.known, report);
}

/** The settings of an environment in wrangler.toml, overridden by the operator's environment variables. */
async function wantedConfig(
  environment: Environment,
  { environment: variables, assetsFolder }: Pick<World, "environment" | "assetsFolder">,
): Promise<Workers<Config>> {
  const { PUBLIC_URL, EVENTS_URL, NPM_REGISTRY_URL } = variables;
  const config = await configOf(environment);
  const { vars, assets } = config;
  const url = PUBLIC_URL || vars["PUBLIC_URL"] || "";
  const urls = { PUBLIC_URL: url, EVENTS_URL: EVENTS_URL || vars["EVENTS_URL"] || "" };
  return {
    platform: {
      ...config,
      vars: { ...vars, ...urls },
      ...(assets && { assets: { ...assets, directory: assetsFolder ?? assets.directory } }),
    },
    bundler: await bundlerConfig(config, NPM_REGISTRY_URL),
  };
}

function requireOperator(known: Secrets): void {
  if (known["ADMIN_TOKEN"] || known["CANARY_API_KEY"]) return;
  throw new Refusal(
    "This machine does not have the Worker's ADMIN_TOKEN, so it cannot send a canary. Set ADMIN_TOKEN, or pass --skip-canary.",
  );
}

type Change = {
  options: Options;
  account: Account;
  wanted: Workers<Config>;
  running: Workers<Running>;
  missing: Workers<Secrets>;
};

async function release(
  { options: { environment }, account, wanted, running, missing }: Change,
  tools: Tools,
) {
  const { report, folder } = tools;
  const resourced = await ensureResources(account, wanted.platform, report);
  const names = [...running.platform.secrets, ...Object.keys(missing.platform)];
  const hasToken = names.includes("CLOUDFLARE_API_TOKEN");
  const coded = withUserCode(account, { config: resourced, hasToken }, report);
  const config = await namedRelease(await addressed(account, coded, report), wanted.bundler);
  const file = report.dryRun ? "" : await writeConfig(folder, environment, config);
  await migrateDatabases(account, { file, config }, tools);
  const isRunning = running.platform.release === config.vars.RELEASE;
  if (!isRunning) await uploadOutbound(config, tools);
  const bundler = { config: wanted.bundler, running: running.bundler, missing: missing.bundler };
  await uploadBundler({ ...bundler, isRunning }, tools);
  const platform = { config, running: running.platform, missing: missing.platform };
  await uploadWorker({ environment, ...platform }, tools);
  if (environment === "production" && !report.dryRun) await writeRedirect(folder, environment);
  return config;
}

type Verification = {
  options: Options;
  world: World;
  config: Awaited<ReturnType<typeof namedRelease>>;
  file: string;
};

async function verify(
  { options, world, config, file }: Verification,
  known: Secrets,
  report: Report,
): Promise<void> {
  const { reach = fetch, timeouts = TIMEOUTS } = world;
  const { PUBLIC_URL: origin = "", RELEASE } = config.vars;
  const deployed = { origin, release: RELEASE, reach, timeouts };
  await report.change("check", `${origin}/health`, () => checkHealth(deployed));
  if (!options.skipCanary)
    await report.change("check", "a canary: request, source, queue, source", () =>
      checkCanary(deployed, file, known),
    );
  if (!options.dryRun) world.print(summary(origin, options.environment));
}

function summary(origin: string, environment: Environment): string {
  return `
Wellspring serves

  base URL   ${origin}/v1
  reference  ${origin}/docs
  operators  ${origin}/admin, with ADMIN_TOKEN of .secrets/${environment}.env
`;
}

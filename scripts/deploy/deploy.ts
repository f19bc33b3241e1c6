import { Refusal } from "../local/refusal.ts";
import { npmRegistry } from "../local/settings.ts";
import { type Account, openAccount } from "./account.ts";
import { addressed } from "./address.ts";
import type { Api } from "./api.ts";
import { checkCanary, checkHealth, PATIENCE, type Patience, type Reach } from "./canary.ts";
import { type Config, configOf, type Environment, GENERATED, writeConfig } from "./config.ts";
import { uploadOutbound } from "./outbound.ts";
import {
  migrateDatabases,
  namedRelease,
  type Running,
  runningWorker,
  uploadWorker,
} from "./release.ts";
import { openReport, type Report } from "./report.ts";
import { ensureResources, knowsDatabase } from "./resources.ts";
import { secretsFileOf, type Secrets, settleSecrets } from "./secrets.ts";
import { openTools, type Tools } from "./tools.ts";
import { withUserCode } from "./user-code.ts";
import type { WranglerPatience } from "./wrangler.ts";

export type Options = {
  environment: Environment;
  /** Say what would be done, and do nothing. */
  dryRun: boolean;
  /** Leave out the events that are sent through the new release. */
  skipCanary: boolean;
  /** Make a master key although there is a database. */
  newMasterKey: boolean;
};

/** What a deployment touches outside this repository. */
export type World = {
  environment: Record<string, string | undefined>;
  print: (line: string) => void;
  reach?: Reach;
  patience?: Patience;
  secretsFolder?: string;
  /** Where what wrangler reads is written. */
  configFolder?: string;
  api?: (token: string) => Api;
  wranglerPatience?: WranglerPatience;
};

/**
 * Bring an account from whatever it has to the platform that this folder holds. What is there already stays, so a
 * run that ended half-way is ended by the next. Throws a `Refusal` that says what failed and what to do.
 */
export async function deployPlatform(options: Options, world: World): Promise<void> {
  const report = openReport(options.dryRun, world.print);
  const account = await openAccount(world.environment, world.api);
  const wanted = await wantedConfig(options.environment, world.environment);
  const file = secretsFileOf(options.environment, world.secretsFolder);
  const running = await runningWorker(account, wanted.name);
  const secrets = await settleSecrets(
    {
      file,
      environment: world.environment,
      remote: running.secrets,
      knowsDatabase: !options.newMasterKey && (await knowsDatabase(account, wanted)),
    },
    report,
  );
  if (!options.skipCanary) requireOperator(secrets.known);

  const { environment, configFolder = GENERATED, wranglerPatience: patience } = world;
  const own = { ...environment, CLOUDFLARE_ACCOUNT_ID: account.id };
  const tools = openTools(report, configFolder, { environment: own, patience });
  const config = await release({ options, account, wanted, running }, secrets.missing, tools);
  await verify({ options, world, config, file }, secrets.known, report);
}

/** What wrangler.toml says of an environment, with what the operator's environment says instead. */
async function wantedConfig(
  environment: Environment,
  { PUBLIC_URL, NPM_REGISTRY_URL }: Record<string, string | undefined>,
): Promise<Config> {
  const config = await configOf(environment);
  const { vars } = config;
  const registry = NPM_REGISTRY_URL || vars["NPM_REGISTRY_URL"] || (await npmRegistry());
  const url = PUBLIC_URL || vars["PUBLIC_URL"] || "";
  return { ...config, vars: { ...vars, PUBLIC_URL: url, NPM_REGISTRY_URL: registry } };
}

function requireOperator(known: Secrets): void {
  if (known["ADMIN_TOKEN"] || known["CANARY_API_KEY"]) return;
  throw new Refusal(
    "The Worker has an ADMIN_TOKEN that this machine does not know, so no canary can be sent. Set ADMIN_TOKEN, or pass --skip-canary.",
  );
}

type Change = { options: Options; account: Account; wanted: Config; running: Running };

async function release(
  { options, account, wanted, running }: Change,
  missing: Secrets,
  tools: Tools,
) {
  const { report, folder } = tools;
  const resourced = await ensureResources(account, wanted, report);
  const hasToken = [...running.secrets, ...Object.keys(missing)].includes("CLOUDFLARE_API_TOKEN");
  const coded = withUserCode(account, { config: resourced, hasToken }, report);
  const config = await namedRelease(await addressed(account, coded, report));
  const file = report.dryRun ? "" : await writeConfig(folder, options.environment, config);
  await migrateDatabases(account, { file, config }, tools);
  if (running.release !== config.vars.RELEASE) await uploadOutbound(config, tools);
  await uploadWorker({ environment: options.environment, config, running, missing }, tools);
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
  const { reach = fetch, patience = PATIENCE } = world;
  const { PUBLIC_URL: origin = "", RELEASE } = config.vars;
  const deployed = { origin, release: RELEASE, reach, patience };
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

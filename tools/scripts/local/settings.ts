import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";

import { newToken } from "#domain/ids.ts";

import { commitOf } from "./commit.ts";
import { isLoopback, listeningAddress, localUrl } from "./listening.ts";
import { freePort } from "./ports.ts";
import { Refusal } from "./refusal.ts";
import { checkToken, checkValues } from "./setting-values.ts";
import { TrustedProxies } from "./trusted-proxies.ts";
import { unknownSettings } from "./unknown-settings.ts";

/** The folder of package.json. */
export const ROOT = resolve(import.meta.dirname, "../../..");

/** The default memory limit of a sandbox process in megabytes, and the minimum that it needs to start. */
const DEFAULT_SANDBOX_MB = 512;
const MIN_SANDBOX_MB = 128;

const MAX_SANDBOXES = 64;

/** The same as the maximum response time of an endpoint. */
export const DEFAULT_DRAIN_SECONDS = "30";

type Variables = Record<string, string>;

/** The settings of one run of the platform. */
export type Settings = {
  /** The IP address that it listens at, and the proxies that may set the client's address. */
  host: string;
  proxies: TrustedProxies;
  port: number;
  stateDir: string;
  /** The URL of the platform on this machine. */
  url: string;
  apiKey: string;
  /** The number of processes that run users' code, and each one's memory limit. 0: the platform's process runs it. */
  sandboxes: number;
  sandboxMemory: number;
  /** The timeout for pending requests and runs at its end. */
  drainMs: number;
  /** What is wrong with the given settings, without preventing a start. */
  warnings: string[];
  /** Plain variables and secrets for the Worker, beside those of wrangler.toml. */
  variables: Variables;
};

/** The known settings; the environment takes precedence over `.dev.vars`. */
const DEV_VARS = join(ROOT, ".dev.vars");

/** Those of the processes beside the Worker. */
const PROCESS_NAMES = ["SANDBOXES", "SANDBOX_MEMORY", "DRAIN_SECONDS"];

const NAMES = [
  "PUBLIC_URL",
  "EVENTS_URL",
  "TRUSTED_PROXIES",
  "ALLOW_PRIVATE_TARGETS",
  "SHOW_CREDENTIALS",
  "REGISTRY_LICENSES",
  "CF_ACCESS_TEAM_DOMAIN",
  "CF_ACCESS_AUD",
  "RATE_LIMIT",
  "LOG_LEVEL",
  "EVENT_LINES",
  "TRACE_SAMPLE_RATE",
  "TRACE_SHARE",
  "EGRESS_GATEWAY_URL",
  "NPM_REGISTRY_URL",
  "EMAIL_FROM",
  "NPM_TOKEN",
  "ADMIN_TOKEN",
  "METRICS_TOKEN",
  "MASTER_KEY",
  "PREVIOUS_MASTER_KEYS",
  "DEV_API_KEY",
];

/** Resolve every setting; a missing secret is the generated one of an earlier run. */
export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const host = listeningAddress(environment["HOST"] || undefined);
  const port = portNumber(environment["PORT"] || "8787") || (await freePort());
  const stateDir = stateFolder(environment);
  const url = localUrl(host, port);

  const devVars = await readVariables(DEV_VARS);
  const names = [...NAMES, ...Object.keys(devVars)];
  const given = { ...devVars, ...pick(environment, names) };
  wholeNumber("RATE_LIMIT", given["RATE_LIMIT"] ?? "0");
  checkValues(given);
  for (const name of ["PUBLIC_URL", "EVENTS_URL"]) checkOrigin(name, given[name]);
  const proxies = new TrustedProxies(given["TRUSTED_PROXIES"]);
  const { SANDBOXES, SANDBOX_MEMORY, DRAIN_SECONDS } = {
    ...devVars,
    ...pick(environment, PROCESS_NAMES),
  };
  const sandboxes = sandboxCount(SANDBOXES);
  const sandboxMemory = megabytes("SANDBOX_MEMORY", SANDBOX_MEMORY);
  const drainMs = wholeNumber("DRAIN_SECONDS", DRAIN_SECONDS ?? DEFAULT_DRAIN_SECONDS) * 1000;
  const registry = given["NPM_REGISTRY_URL"] ?? (await npmRegistry());
  const { DEV_API_KEY: apiKey, ...secrets } = await withSecrets(stateDir, given);
  const variables = {
    PUBLIC_URL: url,
    // If others have access, their components must not reach hosts that only this machine and its network should reach.
    ALLOW_PRIVATE_TARGETS: String(!isReachedByOthers(host, given)),
    // A terminal shows only lines that need attention.
    LOG_LEVEL: "warn",
    EVENT_LINES: "true",
    ...secrets,
    NPM_REGISTRY_URL: registry,
    ...(await buildVariables()),
  };
  return {
    host,
    proxies,
    port,
    stateDir,
    url,
    apiKey,
    variables,
    sandboxes,
    sandboxMemory,
    drainMs,
    warnings: warningsAbout(devVars, environment),
  };
}

function warningsAbout(devVars: Variables, environment: NodeJS.ProcessEnv): string[] {
  const given = { devVars: Object.keys(devVars), environment: Object.keys(environment) };
  return unknownSettings([...NAMES, ...PROCESS_NAMES], given);
}

/** The variables that name the running release. */
async function buildVariables(): Promise<Variables> {
  return { RELEASE: await releaseIn(ROOT), COMMIT: commitOf(ROOT) ?? "" };
}

/** The version of the platform in a folder. */
export async function releaseIn(root: string): Promise<string> {
  const manifest: { version: string } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8"),
  );
  return manifest.version;
}

/** An invalid number would count as 0, which means any port and no limit. */
function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Refusal(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

function portNumber(text: string): number {
  const port = wholeNumber("PORT", text);
  if (port > 65_535) throw new Refusal(`PORT must be at most 65535, not "${text}".`);
  return port;
}

/** One core is for the platform, which performs best on one. */
function sandboxCount(text: string | undefined): number {
  if (text === undefined || text === "") return Math.max(1, availableParallelism() - 1);
  const count = wholeNumber("SANDBOXES", text);
  if (count > MAX_SANDBOXES)
    throw new Refusal(`SANDBOXES must be at most ${MAX_SANDBOXES}, not "${text}".`);
  return count;
}

function megabytes(name: string, text = String(DEFAULT_SANDBOX_MB)): number {
  const value = wholeNumber(name, text);
  if (value < MIN_SANDBOX_MB)
    throw new Refusal(`${name} must be at least ${MIN_SANDBOX_MB} megabytes, not "${text}".`);
  return value * 1024 * 1024;
}

/** The platform distinguishes requests by exactly this text. */
function checkOrigin(name: string, text: string | undefined): void {
  if (text === undefined || (URL.canParse(text) && new URL(text).origin === text)) return;
  throw new Refusal(`${name} must be an origin without a path, not "${text}".`);
}

/** Whether other machines reach it: at its address, or through a proxy. */
function isReachedByOthers(host: string, given: Variables): boolean {
  const urls = [given["PUBLIC_URL"], given["EVENTS_URL"]].filter((url) => url !== undefined);
  const hosts = [host, ...urls.map((url) => new URL(url).hostname)];
  return given["TRUSTED_PROXIES"] !== undefined || !hosts.every(isLoopback);
}

/** The folder of everything that must outlive a run. */
export function stateFolder(environment: NodeJS.ProcessEnv): string {
  return resolve(ROOT, environment["STATE_DIR"] || ".wrangler/state");
}

/** The file with the secrets of a state folder. */
export function secretsFile(stateDir: string): string {
  return join(stateDir, "secrets.env");
}

/** Whether a setting is given outside of the state folder, which takes precedence over it. */
export async function isGiven(
  name: string,
  environment: Partial<NodeJS.ProcessEnv>,
): Promise<boolean> {
  return Boolean(environment[name]) || name in (await readVariables(DEV_VARS));
}

/** Add the secrets of the state folder to the given variables; missing ones are generated and stored when needed. */
async function withSecrets(stateDir: string, given: Variables) {
  const kept = await readVariables(secretsFile(stateDir));
  const made = {
    ADMIN_TOKEN: newSecret(),
    METRICS_TOKEN: newSecret(),
    DEV_API_KEY: newSecret(),
    MASTER_KEY: newMasterKey(),
  };
  const { ADMIN_TOKEN, METRICS_TOKEN, DEV_API_KEY, MASTER_KEY } = { ...made, ...kept, ...given };
  const previous = pick(kept, ["PREVIOUS_MASTER_KEYS"]);
  const secrets = { ADMIN_TOKEN, METRICS_TOKEN, DEV_API_KEY, MASTER_KEY };
  for (const name of ["ADMIN_TOKEN", "METRICS_TOKEN"] as const) checkToken(name, secrets[name]);
  const needed = Object.entries(secrets).filter(([name]) => !(name in given));
  if (needed.some(([name]) => !(name in kept))) {
    const lines = Object.entries({ ...kept, ...Object.fromEntries(needed) });
    await writeFile(
      secretsFile(stateDir),
      lines.map(([name, value]) => `${name}=${value}\n`).join(""),
      { mode: 0o600 },
    );
  }
  return { ...previous, ...given, ...secrets };
}

function pick(
  environment: Record<string, string | undefined>,
  names: readonly string[],
): Variables {
  const entries = names.map((name) => [name, environment[name]] as const);
  return Object.fromEntries(entries.flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

async function readVariables(file: string): Promise<Variables> {
  const text = await readFile(file, "utf8").catch(() => "");
  return Object.fromEntries(
    Object.entries(parseEnv(text)).map(([name, value = ""]) => [name, value]),
  );
}

function newSecret(): string {
  return newToken() + newToken();
}

/** 32 random bytes: the key that encrypts every secret of the state folder. */
function newMasterKey(): string {
  return randomBytes(32).toString("base64url");
}

/** The registry that this machine's npm installs from: components get their packages there too. */
export async function npmRegistry(): Promise<string> {
  const cli = process.env["npm_execpath"];
  const [command, ...before] = cli ? [process.execPath, cli] : ["npm"];
  try {
    const { stdout } = await promisify(execFile)(command, [...before, "config", "get", "registry"]);
    return stdout.trim();
  } catch {
    return "";
  }
}

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseEnv, promisify } from "node:util";

import { newToken } from "#domain/ids.ts";

import { isLoopback, listeningAddress, localUrl } from "./listening.ts";
import { freePort } from "./ports.ts";
import { Refusal } from "./refusal.ts";
import { checkValues } from "./setting-values.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

/** The folder that holds package.json. */
export const ROOT = resolve(import.meta.dirname, "../../..");

/** Megabytes that a sandbox process may hold, and what it needs to start. */
const DEFAULT_SANDBOX_MB = 512;
const MIN_SANDBOX_MB = 128;

const MAX_SANDBOXES = 64;

/** As long as an endpoint may take to answer. */
export const DEFAULT_DRAIN_SECONDS = "30";

type Variables = Record<string, string>;

/** The settings of one run of the platform. */
export type Settings = {
  /** The IP address that it listens at, and who may say for whom a request there is. */
  host: string;
  proxies: TrustedProxies;
  port: number;
  stateDir: string;
  /** Where requests of this machine reach the platform. */
  url: string;
  apiKey: string;
  /** How many processes users' code runs in, and how many bytes each may hold. 0: it runs in the platform's process. */
  sandboxes: number;
  sandboxMemory: number;
  /** How long requests and runs that are under way may take to end before it does. */
  drainMs: number;
  /** Plain variables and secrets for the Worker, beside those of wrangler.toml. */
  variables: Variables;
};

/** The known settings; the environment takes precedence over `.dev.vars`. */
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
  "MASTER_KEY",
  "PREVIOUS_MASTER_KEYS",
  "DEV_API_KEY",
];

/** Settle every setting; where a secret is not set, the one that an earlier run generated. */
export async function readSettings(environment: NodeJS.ProcessEnv): Promise<Settings> {
  const host = listeningAddress(environment["HOST"] || undefined);
  const port = portNumber(environment["PORT"] || "8787") || (await freePort());
  const stateDir = stateFolder(environment);
  const url = localUrl(host, port);

  const devVars = await readVariables(join(ROOT, ".dev.vars"));
  const names = [...NAMES, ...Object.keys(devVars)];
  const given = { ...devVars, ...pick(environment, names) };
  wholeNumber("RATE_LIMIT", given["RATE_LIMIT"] ?? "0");
  checkValues(given);
  for (const name of ["PUBLIC_URL", "EVENTS_URL"]) checkOrigin(name, given[name]);
  const proxies = new TrustedProxies(given["TRUSTED_PROXIES"]);
  const { SANDBOXES, SANDBOX_MEMORY, DRAIN_SECONDS } = {
    ...devVars,
    ...pick(environment, ["SANDBOXES", "SANDBOX_MEMORY", "DRAIN_SECONDS"]),
  };
  const sandboxes = sandboxCount(SANDBOXES);
  const sandboxMemory = megabytes("SANDBOX_MEMORY", SANDBOX_MEMORY);
  const drainMs = wholeNumber("DRAIN_SECONDS", DRAIN_SECONDS ?? DEFAULT_DRAIN_SECONDS) * 1000;
  const registry = given["NPM_REGISTRY_URL"] ?? (await npmRegistry());
  const { DEV_API_KEY: apiKey, ...secrets } = await withSecrets(stateDir, given);
  const variables = {
    PUBLIC_URL: url,
    // Where others get in, their components get no way to what only this machine and its network should reach.
    ALLOW_PRIVATE_TARGETS: String(!isReachedByOthers(host, given)),
    // A terminal is for what somebody has to look into.
    LOG_LEVEL: "warn",
    EVENT_LINES: "true",
    ...secrets,
    NPM_REGISTRY_URL: registry,
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
  };
}

/** An invalid number would count as 0, which takes any port and lifts the limit. */
function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw new Refusal(`${name} must be a whole number, not "${text}".`);
  return Number(text);
}

function portNumber(text: string): number {
  const port = wholeNumber("PORT", text);
  if (port > 65_535) throw new Refusal(`PORT must be at most 65535, not "${text}".`);
  return port;
}

/** One core is for the platform, which is at its best on one. */
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

/** Requests are distinguished by exactly this text. */
function checkOrigin(name: string, text: string | undefined): void {
  if (text === undefined || (URL.canParse(text) && new URL(text).origin === text)) return;
  throw new Refusal(`${name} must be an origin without a path, not "${text}".`);
}

/** Whether other machines reach it: where it listens, or through what passes requests on. */
function isReachedByOthers(host: string, given: Variables): boolean {
  const urls = [given["PUBLIC_URL"], given["EVENTS_URL"]].filter((url) => url !== undefined);
  const hosts = [host, ...urls.map((url) => new URL(url).hostname)];
  return given["TRUSTED_PROXIES"] !== undefined || !hosts.every(isLoopback);
}

/** Where everything that is to outlive a run is kept. */
export function stateFolder(environment: NodeJS.ProcessEnv): string {
  return resolve(ROOT, environment["STATE_DIR"] || ".wrangler/state");
}

/** Where the secrets of a state folder are kept. */
export function secretsFile(stateDir: string): string {
  return join(stateDir, "secrets.env");
}

/** Complete what is given by secrets of the state folder, which are made and kept there once they are needed. */
async function withSecrets(stateDir: string, given: Variables) {
  const kept = await readVariables(secretsFile(stateDir));
  const made = { ADMIN_TOKEN: newSecret(), DEV_API_KEY: newSecret(), MASTER_KEY: newMasterKey() };
  const { ADMIN_TOKEN, DEV_API_KEY, MASTER_KEY } = { ...made, ...kept, ...given };
  const secrets = { ADMIN_TOKEN, DEV_API_KEY, MASTER_KEY };
  const needed = Object.entries(secrets).filter(([name]) => !(name in given));
  if (needed.some(([name]) => !(name in kept))) {
    const lines = Object.entries({ ...kept, ...Object.fromEntries(needed) });
    await writeFile(
      secretsFile(stateDir),
      lines.map(([name, value]) => `${name}=${value}\n`).join(""),
      { mode: 0o600 },
    );
  }
  return { ...given, ...secrets };
}

function pick(environment: NodeJS.ProcessEnv, names: readonly string[]): Variables {
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

/** 32 random bytes: what every secret of the state folder is encrypted under. */
function newMasterKey(): string {
  return randomBytes(32).toString("base64url");
}

/** The registry this machine's npm installs from: components get their packages there too. */
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

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { Failure } from "./failure.ts";
import { configFile, platformRoot, runningUrl, stateFolder } from "./places.ts";

/** The address of `npm start` and `wellspring dev`. */
export const DEFAULT_URL = "http://127.0.0.1:8787";

/** A platform and one of its keys. */
export type Connection = {
  /** Origin, without a slash at its end. */
  url: string;
  apiKey: string;
  /** The path of the API that the key is for; absent: /v1. */
  base?: string;
};

/** Options of every command. `profile`: the name of a platform that `login` stored. */
export type ConnectionOptions = {
  url?: string | undefined;
  apiKey?: string | undefined;
  profile?: string | undefined;
};

/** A connection that `login` stored. */
type Login = { url: string; api_key: string };

/** What `login` stores: a connection without a name, and those with one. */
export type Config = Partial<Login> & { profiles?: Record<string, Login> };

/**
 * Find the platform: by options, else `WELLSPRING_URL` and `WELLSPRING_API_KEY`, else the settings of `login`, else the
 * one that runs on this machine, with the key in its state folder.
 */
export async function findConnection(options: ConnectionOptions = {}): Promise<Connection> {
  const login = await readLogin(options.profile);
  const url = originOf(await urlFor(options, login));
  const apiKey = await keyFor(options, url, login);
  if (apiKey) return { url, apiKey };
  const next = isLoopback(url)
    ? "run `wellspring dev`, which starts a platform, or set WELLSPRING_API_KEY"
    : "run `wellspring login`, or set WELLSPRING_API_KEY";
  throw new Failure(`There is no API key for ${url}`, { next });
}

/** The operator's API of the platform, with `WELLSPRING_ADMIN_TOKEN`, else the token of the one on this machine. */
export async function findOperator(options: ConnectionOptions = {}): Promise<Connection> {
  const url = originOf(await urlFor(options, await readLogin(options.profile)));
  const adminToken = process.env["WELLSPRING_ADMIN_TOKEN"];
  const token = adminToken ?? (isLoopback(url) ? await localSecret("ADMIN_TOKEN") : undefined);
  if (token) return { url, apiKey: token, base: "/admin" };
  throw new Failure(`Apps are set up by the operator: there is no admin token for ${url}`, {
    next: "set WELLSPRING_ADMIN_TOKEN to the ADMIN_TOKEN of the platform",
  });
}

async function urlFor(
  { url, profile }: ConnectionOptions,
  login: Login | undefined,
): Promise<string> {
  const chosenUrl = url ?? inOrder(profile, process.env["WELLSPRING_URL"], login?.url);
  return chosenUrl ?? (await runningUrl()) ?? DEFAULT_URL;
}

async function keyFor(
  { apiKey, profile }: ConnectionOptions,
  url: string,
  login: Login | undefined,
): Promise<string | undefined> {
  const stored = login && originOf(login.url) === url ? login.api_key : undefined;
  const chosenKey = apiKey ?? inOrder(profile, process.env["WELLSPRING_API_KEY"], stored);
  return chosenKey ?? (isLoopback(url) ? localKey() : undefined);
}

/** The environment takes precedence over what `login` stored, except over a profile that the command names. */
function inOrder(
  profile: string | undefined,
  environment: string | undefined,
  stored: string | undefined,
): string | undefined {
  return profile === undefined ? (environment ?? stored) : (stored ?? environment);
}

/** Whether the user chose a platform, instead of the default one on this machine. */
export async function isChosen({ url, profile }: ConnectionOptions): Promise<boolean> {
  return Boolean(url ?? process.env["WELLSPRING_URL"] ?? (await readLogin(profile))?.url);
}

export function isLoopback(url: string): boolean {
  return /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/.test(url);
}

function originOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed && /^https?:$/.test(parsed.protocol)) return parsed.origin;
  throw new Failure(`${JSON.stringify(url)} is not the URL of a platform`, {
    next: `give one such as ${DEFAULT_URL}`,
    exitCode: 2,
  });
}

/** The connection without a name, or that of a profile. Throws a `Failure` for an unknown profile. */
async function readLogin(profile: string | undefined): Promise<Login | undefined> {
  const { url, api_key, profiles = {} } = await readConfig();
  if (profile === undefined)
    return url === undefined || api_key === undefined ? undefined : { url, api_key };
  if (Object.hasOwn(profiles, profile)) return profiles[profile];
  const names = Object.keys(profiles).join(", ");
  throw new Failure(`There is no profile ${profile}`, {
    next: `${names && `name one of ${names}, or `}run \`wellspring login --profile ${profile}\``,
  });
}

/** What `login` has stored. Throws a `Failure` if that cannot be parsed. */
export async function readConfig(): Promise<Config> {
  const text = await readFile(configFile(), "utf8").catch(() => "{}");
  try {
    return JSON.parse(text);
  } catch {
    throw new Failure(`${configFile()} is not valid JSON`, {
      next: "delete it, and run `wellspring login` again",
    });
  }
}

/** The key of the user `dev` of a platform on this machine. */
export function localKey(): Promise<string | undefined> {
  return localSecret("DEV_API_KEY");
}

/** A secret of the platform on this machine: from the environment, else from its files. */
async function localSecret(name: "ADMIN_TOKEN" | "DEV_API_KEY"): Promise<string | undefined> {
  const platform = platformRoot();
  const files = [
    ...(platform ? [join(platform.root, ".dev.vars")] : []),
    join(stateFolder(), "secrets.env"),
  ];
  const own = process.env[name];
  if (own) return own;
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    const key = parseEnv(text)[name];
    if (key) return key;
  }
  return undefined;
}

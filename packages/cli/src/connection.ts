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
};

/** Options of every command. */
export type ConnectionOptions = { url?: string | undefined; apiKey?: string | undefined };

/** The connection that `login` stored. */
export type Login = { url: string; api_key: string };

/**
 * Find the platform: by options, else `WELLSPRING_URL` and `WELLSPRING_API_KEY`, else the settings of `login`, else the
 * one that runs on this machine, with the key in its state folder.
 */
export async function findConnection(options: ConnectionOptions = {}): Promise<Connection> {
  const login = await readLogin();
  const url = originOf(await urlFor(options, login));
  const apiKey = await keyFor(options, url, login);
  if (apiKey) return { url, apiKey };
  const next = isLoopback(url)
    ? "run `wellspring dev`, which starts a platform, or set WELLSPRING_API_KEY"
    : "run `wellspring login`, or set WELLSPRING_API_KEY";
  throw new Failure(`There is no API key for ${url}`, { next });
}

async function urlFor({ url }: ConnectionOptions, login: Login | undefined): Promise<string> {
  const given = url ?? process.env["WELLSPRING_URL"] ?? login?.url;
  return given ?? (await runningUrl()) ?? DEFAULT_URL;
}

async function keyFor(
  { apiKey }: ConnectionOptions,
  url: string,
  login: Login | undefined,
): Promise<string | undefined> {
  const given = apiKey ?? process.env["WELLSPRING_API_KEY"];
  if (given !== undefined) return given;
  if (login && originOf(login.url) === url) return login.api_key;
  return isLoopback(url) ? localKey() : undefined;
}

/** Whether the user chose a platform, instead of the default one on this machine. */
export async function isChosen(options: ConnectionOptions): Promise<boolean> {
  return Boolean(options.url ?? process.env["WELLSPRING_URL"] ?? (await readLogin())?.url);
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

async function readLogin(): Promise<Login | undefined> {
  const text = await readFile(configFile(), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const login: Partial<Login> = JSON.parse(text);
    const { url, api_key } = login;
    return url === undefined || api_key === undefined ? undefined : { url, api_key };
  } catch {
    throw new Failure(`${configFile()} is not valid JSON`, {
      next: "run `wellspring login` again",
    });
  }
}

/** The file with the key of the user `dev` of a platform on this machine. */
export async function localKey(): Promise<string | undefined> {
  const platform = platformRoot();
  const files = [
    ...(platform ? [join(platform.root, ".dev.vars")] : []),
    join(stateFolder(), "secrets.env"),
  ];
  const own = process.env["DEV_API_KEY"];
  if (own) return own;
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    const key = parseEnv(text)["DEV_API_KEY"];
    if (key) return key;
  }
  return undefined;
}

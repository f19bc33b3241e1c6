import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { Api } from "../api.ts";
import { type Config, DEFAULT_URL, readConfig } from "../connection.ts";
import { Failure, misuse } from "../failure.ts";
import type { CommandOptions } from "../options.ts";
import { configFile } from "../places.ts";
import { Refusal } from "../refusal.ts";
import { isInteractive, json, line } from "../terminal/output.ts";

/**
 * Check a platform's URL and an API key, and store them in a file that only the user can read: under the name of the
 * profile, if there is one.
 */
export async function login(options: CommandOptions): Promise<void> {
  const { profile } = options;
  const config = await readConfig();
  const url = options.url ?? (await prompt("URL of the platform", DEFAULT_URL));
  const apiKey = options.apiKey ?? (await prompt("API key"));
  if (!URL.canParse(url)) throw misuse(`${JSON.stringify(url)} is no URL`);
  const { origin } = new URL(url);
  const user = await new Api({ url: origin, apiKey })
    .data<{ username: string }>("GET", "/users/me")
    .catch((error: unknown) => {
      if (!(error instanceof Refusal) || error.status !== 401) throw error;
      throw new Failure(`${origin} refuses this key`);
    });
  const stored = { url: origin, api_key: apiKey };
  await store(
    profile === undefined
      ? { ...config, ...stored }
      : { ...config, profiles: { ...config.profiles, [profile]: stored } },
  );
  if (options.json) return json({ url: origin, username: user.username, file: configFile() });
  line(`Logged in to ${origin} as ${user.username}; stored in ${configFile()}`);
}

async function store(stored: Config): Promise<void> {
  const file = configFile();
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  // Otherwise an existing file would keep its mode.
  await chmod(file, 0o600);
}

async function prompt(what: string, usual?: string): Promise<string> {
  if (!isInteractive()) throw misuse(`${what} is missing`, "give --url and --api-key");
  const prompts = await import("@clack/prompts");
  const input =
    usual === undefined
      ? await prompts.password({ message: what })
      : await prompts.text({ message: what, placeholder: usual, defaultValue: usual });
  if (typeof input === "symbol") throw new Failure("Cancelled");
  return input;
}

import { createHash } from "node:crypto";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

import { inputHash } from "../local/build.ts";
import { ROOT } from "../local/settings.ts";
import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import { type Config, type Environment, writeConfig } from "./config.ts";
import type { Secrets } from "./secrets.ts";
import type { Tools } from "./tools.ts";

/** The Worker deployed under a name: its release, if it reports one, and the names of its secrets and bindings. */
export type Running = {
  exists: boolean;
  release: string | undefined;
  secrets: Set<string>;
  bindings: Set<string>;
  /** Its settings, by name. */
  texts: Map<string, string>;
};

type Binding = { type: string; name: string; text?: string };

const NEEDS = "Workers Scripts: Edit";

/** The state of a Worker that does not exist. */
export const NOTHING_RUNS: Running = {
  exists: false,
  release: undefined,
  secrets: new Set(),
  bindings: new Set(),
  texts: new Map(),
};

export async function runningWorker({ id, api }: Account, name: string): Promise<Running> {
  const path = `/accounts/${id}/workers/scripts/${name}/settings`;
  try {
    const purpose = { task: `look at the Worker ${name}`, needs: NEEDS };
    const { bindings } = await api.get<{ bindings: Binding[] }>(path, purpose);
    const secrets = bindings.filter(({ type }) => type === "secret_text");
    return {
      exists: true,
      release: bindings.find((binding) => binding.name === "RELEASE")?.text,
      secrets: new Set(secrets.map((secret) => secret.name)),
      bindings: new Set(bindings.map((binding) => binding.name)),
      texts: new Map(
        bindings.flatMap(({ name: key, text }) => (text === undefined ? [] : [[key, text]])),
      ),
    };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return NOTHING_RUNS;
    throw error;
  }
}

/** Name the new release by a hash of its inputs: the same files and settings are the same release. */
export async function namedRelease(
  config: Config,
  bundler: Config,
): Promise<Config & { vars: { RELEASE: string } }> {
  const hash = createHash("sha256").update(await inputHash());
  hash.update(await assetsHash(config.assets?.directory));
  hash.update(JSON.stringify([config, bundler]));
  const RELEASE = hash.digest("hex").slice(0, 12);
  return { ...config, vars: { ...config.vars, RELEASE } };
}

/** A hash of the static assets. */
async function assetsHash(directory: string | undefined): Promise<string> {
  const hash = createHash("sha256");
  if (directory === undefined) return hash.digest("hex");
  const folder = resolve(ROOT, directory);
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names
    .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted();
  for (const file of files)
    hash.update(`${file.slice(folder.length)}\0`).update(await readFile(file));
  return hash.digest("hex");
}

type Upload = {
  environment: Environment;
  config: Config & { vars: { RELEASE: string } };
  running: Running;
  missing: Secrets;
};

/** Upload the Worker with its missing secrets, in one version; does nothing if the same release runs already. */
export async function uploadWorker(
  { environment, config, running, missing }: Upload,
  tools: Tools,
): Promise<void> {
  const { report, folder } = tools;
  const { RELEASE } = config.vars;
  const names = Object.keys(missing);
  if (running.release === RELEASE && names.length === 0) {
    report.note("up to date", `Worker ${config.name}, release ${RELEASE}`);
    return attach({ environment, config }, tools);
  }
  const secrets = names.length > 0 ? ` with ${names.join(", ")}` : "";
  await report.change("upload", `Worker ${config.name}, release ${RELEASE}${secrets}`, async () => {
    const file = await writeConfig(folder, environment, config);
    await putWorker({ name: config.name, file, secrets: missing }, tools);
  });
}

/** Upload a Worker with a written configuration and further secrets. */
export async function putWorker(
  { name, file, secrets }: { name: string; file: string; secrets: Secrets },
  { folder, wrangler }: Tools,
): Promise<void> {
  const secretsFile = join(folder, `${name}.secrets.json`);
  await writeFile(secretsFile, JSON.stringify(secrets), { mode: 0o600 });
  try {
    const args = ["deploy", "--config", file, "--secrets-file", secretsFile];
    await wrangler(`upload the Worker ${name}`, args);
  } finally {
    await rm(secretsFile, { force: true });
  }
}

/**
 * Attach the Worker to its queues, cron triggers and hostnames. An upload does so as well, but comes first: a run that
 * ended between the two left a Worker without triggers.
 */
async function attach(
  { environment, config }: Pick<Upload, "environment" | "config">,
  { report, folder, wrangler }: Tools,
): Promise<void> {
  await report.change("attach", "its queues, hours and hostnames", async () => {
    const file = await writeConfig(folder, environment, config);
    await wrangler(`attach the Worker ${config.name}`, ["triggers", "deploy", "--config", file]);
  });
}

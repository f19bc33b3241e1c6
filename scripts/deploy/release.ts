import { createHash } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { inputHash } from "../local/build.ts";
import { ROOT } from "../local/settings.ts";
import type { Account } from "./account.ts";
import { ApiFailure } from "./api.ts";
import { type Config, type Environment, writeConfig } from "./config.ts";
import { NOT_YET } from "./resources.ts";
import type { Secrets } from "./secrets.ts";
import type { Tools } from "./tools.ts";

/** What runs on Cloudflare under a Worker's name: its release, where it says one, and the names of its secrets. */
export type Running = { exists: boolean; release: string | undefined; secrets: Set<string> };

type Binding = { type: string; name: string; text?: string };

const NEEDS = "Workers Scripts: Edit";

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
    };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404)
      return { exists: false, release: undefined, secrets: new Set() };
    throw error;
  }
}

/** Name what is about to run by all that it is made from: the same files and settings are the same release. */
export async function namedRelease(
  config: Config,
): Promise<Config & { vars: { RELEASE: string } }> {
  const hash = createHash("sha256").update(await inputHash());
  hash.update(JSON.stringify(config));
  const RELEASE = hash.digest("hex").slice(0, 12);
  return { ...config, vars: { ...config.vars, RELEASE } };
}

/**
 * Apply the migrations that a database lacks, with wrangler and in its books. They come before the code that
 * needs them, and the code that runs meanwhile does not see them: a migration only ever adds.
 */
export async function migrateDatabases(
  { id, api }: Account,
  { file, config }: { file: string; config: Config },
  { report, wrangler }: Pick<Tools, "report" | "wrangler">,
): Promise<void> {
  for (const { database_name: name, database_id, migrations_dir } of config.d1_databases) {
    const all = await readdir(join(ROOT, migrations_dir));
    const names = all.filter((each) => each.endsWith(".sql")).toSorted();
    const applied = await appliedMigrations({ id, api }, database_id);
    const pending = names.filter((each) => !applied.has(each));
    const what = `migrations of ${name}: ${pending.join(", ")}`;
    if (pending.length === 0) report.say("up to date", `migrations of ${name}`);
    else
      await report.change("apply", what, () =>
        wrangler(`apply the migrations to ${name}`, [
          "d1",
          "migrations",
          "apply",
          name,
          "--remote",
          "--config",
          file,
        ]),
      );
  }
}

async function appliedMigrations(
  { id, api }: Pick<Account, "id" | "api">,
  database: string,
): Promise<Set<string>> {
  if (database === NOT_YET) return new Set();
  const purpose = { task: "read which migrations are applied", needs: "D1: Edit" };
  const ask = async (sql: string): Promise<Set<string>> => {
    const path = `/accounts/${id}/d1/database/${database}/query`;
    type Answers = { results: { name: string }[] }[];
    const answers = await api.query<Answers>(path, { sql }, purpose);
    return new Set(answers.flatMap(({ results }) => results.map(({ name }) => name)));
  };
  const tables = await ask("SELECT name FROM sqlite_master WHERE name = 'd1_migrations'");
  return tables.size === 0 ? tables : ask("SELECT name FROM d1_migrations");
}

type Upload = {
  environment: Environment;
  config: Config & { vars: { RELEASE: string } };
  running: Running;
  missing: Secrets;
};

/** Upload the Worker with the secrets that it lacks, in one version; nothing where that is what runs already. */
export async function uploadWorker(
  { environment, config, running, missing }: Upload,
  tools: Tools,
): Promise<void> {
  const { report, folder, wrangler } = tools;
  const { RELEASE } = config.vars;
  const names = Object.keys(missing);
  if (running.release === RELEASE && names.length === 0) {
    report.say("up to date", `Worker ${config.name}, release ${RELEASE}`);
    return attach({ environment, config }, tools);
  }
  const secrets = names.length > 0 ? ` with ${names.join(", ")}` : "";
  await report.change("upload", `Worker ${config.name}, release ${RELEASE}${secrets}`, async () => {
    const file = await writeConfig(folder, environment, config);
    const secretsFile = join(folder, `${environment}.secrets.json`);
    await writeFile(secretsFile, JSON.stringify(missing), { mode: 0o600 });
    try {
      await wrangler(`upload the Worker ${config.name}`, [
        "deploy",
        "--config",
        file,
        "--secrets-file",
        secretsFile,
      ]);
    } finally {
      await rm(secretsFile, { force: true });
    }
  });
}

/**
 * Attach the Worker to its queues, hours and hostnames. An upload does so as well, but comes first: a run that ended
 * between the two left a Worker that nothing calls.
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

import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { type Account, openAccount } from "../deploy/account.ts";
import type { Api } from "../deploy/api.ts";
import { type Config, type Environment, GENERATED, readConfig } from "../deploy/config.ts";
import { migrateDatabases } from "../deploy/migrations.ts";
import { openReport } from "../deploy/report.ts";
import { rewrapAll } from "../deploy/rotation.ts";
import { readSecrets, secretsFileOf } from "../deploy/secrets.ts";
import { openTools } from "../deploy/tools.ts";
import { wrangler } from "../deploy/wrangler.ts";
import { Refusal } from "../local/refusal.ts";
import { dropsOf, loadFiles, type Table, TABLES_QUERY } from "./dump.ts";
import { openOperator } from "./operator.ts";
import type { Target } from "./target.ts";

type World = {
  environment: Record<string, string | undefined>;
  print: (line: string) => void;
  secretsFolder?: string;
  configFolder?: string;
  /** The function that sends requests to the platform. */
  reach?: typeof fetch;
  api?: (token: string) => Api;
};

/** A large database takes hours to transfer. */
const TIMEOUT_MS = 6 * 60 * 60_000;

/** The number of resources on a platform that a restore would overwrite. */
const COUNT = `SELECT (SELECT count(*) FROM components) + (SELECT count(*) FROM sources) +
  (SELECT count(*) FROM workflows) + (SELECT count(*) FROM webhooks) + (SELECT count(*) FROM accounts) +
  (SELECT count(*) FROM users WHERE username <> 'canary') AS count`;

/** A platform that `npm run deploy` has deployed. Its Worker keeps serving. */
export async function openDeployed(name: Environment, world: World): Promise<Target> {
  const { reach = fetch, configFolder = GENERATED } = world;
  const file = join(configFolder, `${name}.json`);
  const config = await configIn(file);
  const { PUBLIC_URL: origin = "", RELEASE: release = "" } = config.vars;
  const token = await adminToken(name, world);
  const database = await remoteDatabase({ file, config }, world);
  return {
    name: `${name} at ${origin}`,
    origin,
    release,
    operator: () => openOperator(origin, token, reach),
    async rewrap() {
      const left = await rewrapAll({ origin, token, reach }, () => {});
      if (left.length > 0) throw new Refusal(`No known master key decrypts ${left.join(", ")}.`);
    },
    ...database,
    finish: async () => {},
    close: async () => {},
  };
}

/** The database of a deployment, as wrangler and Cloudflare's API reach it. */
async function remoteDatabase(
  { file, config }: { file: string; config: Config },
  { environment, print, api }: World,
): Promise<Pick<Target, "copyDatabase" | "replaceDatabase" | "isEmpty">> {
  const [database] = config.d1_databases;
  if (!database) throw new Refusal(`${file} names no database.`);
  const { database_name: name, database_id: id } = database;
  const account = await openAccount(environment, api);
  const tables = () => query<Table>(account, id, TABLES_QUERY);
  const d1 = (task: string, verb: string, ...args: string[]): Promise<string> =>
    wrangler(
      task,
      ["d1", verb, name, "--remote", "--config", file, ...args],
      environment,
      TIMEOUT_MS,
    );
  return {
    copyDatabase: (copy) =>
      inFolder(async (folder) => {
        const output = join(folder, "export.sql");
        await d1("export the database", "export", "--output", output, "--skip-confirmation");
        await loadFiles(copy, [output]);
      }),
    replaceDatabase: (files) =>
      inFolder(async (folder) => {
        const drops = join(folder, "drops.sql");
        await writeFile(drops, dropsOf(await tables()));
        for (const each of [drops, ...files])
          await d1("load the database", "execute", "--file", each, "--yes");
        const tools = openTools(openReport(false, print), dirname(file), { environment });
        await migrateDatabases(account, { file, config }, tools);
      }),
    async isEmpty() {
      const names = new Set((await tables()).map((table) => table.name));
      if (!names.has("users")) return true;
      return (await query<{ count: number }>(account, id, COUNT)).every(({ count }) => count === 0);
    },
  };
}

/** The configuration of the last `npm run deploy` on this machine. */
async function configIn(file: string): Promise<Config> {
  if (!existsSync(file))
    throw new Refusal(
      `${file} is missing on this machine: run npm run deploy first, which writes it.`,
    );
  return readConfig(file);
}

async function adminToken(
  name: Environment,
  { environment, secretsFolder }: World,
): Promise<string> {
  const file = secretsFileOf(name, secretsFolder);
  const token = environment["ADMIN_TOKEN"] || (await readSecrets(file))["ADMIN_TOKEN"];
  if (!token) throw new Refusal(`Set ADMIN_TOKEN, or add it to ${file}.`);
  return token;
}

async function query<T>({ id, api }: Account, database: string, sql: string): Promise<T[]> {
  const answers = await api.query<{ results: T[] }[]>(
    `/accounts/${id}/d1/database/${database}/query`,
    { sql },
    { task: "read the database", needs: "D1: Edit" },
  );
  return answers.flatMap(({ results }) => results);
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "database-"));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

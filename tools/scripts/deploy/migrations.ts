import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Refusal } from "../local/refusal.ts";
import { ROOT } from "../local/settings.ts";
import type { Account } from "./account.ts";
import type { Config } from "./config.ts";
import { NOT_YET } from "./resources.ts";
import type { Tools } from "./tools.ts";

/** A statement that D1 could not run, perhaps because its query API split a file in the wrong place. */
const NOT_RUN = /\bcode: 7500\b/;

type Migrating = Pick<Tools, "report" | "wrangler">;

/** A database and its migrations, with the names of the configuration in `file`. */
type Database = { name: string; id: string; migrations: string; file: string };

/**
 * Apply a database's missing migrations with wrangler, which records them. They run before the upload of the code that
 * needs them, and the running code does not see them: a migration only ever adds.
 */
export async function migrateDatabases(
  account: Pick<Account, "id" | "api">,
  { file, config }: { file: string; config: Config },
  tools: Migrating,
): Promise<void> {
  for (const { database_name: name, database_id: id, migrations_dir } of config.d1_databases) {
    const database = { name, id, migrations: join(ROOT, migrations_dir), file };
    const pending = await pendingMigrations(account, database);
    const what = `migrations of ${name}: ${pending.join(", ")}`;
    if (pending.length === 0) tools.report.note("up to date", `migrations of ${name}`);
    else await tools.report.change("apply", what, () => migrate(account, database, tools));
  }
}

async function migrate(
  account: Pick<Account, "id" | "api">,
  database: Database,
  tools: Migrating,
): Promise<void> {
  for (;;) {
    try {
      await d1(database, tools, "apply the migrations to", ["migrations", "apply", database.name]);
      return;
    } catch (error) {
      const [next] = await pendingMigrations(account, database);
      if (!(error instanceof Refusal) || !NOT_RUN.test(error.message) || !next) throw error;
      await importMigration(database, next, tools);
      tools.report.note("imported", `${next}, which D1 does not accept as a query`);
    }
  }
}

/** Import a migration as a file, which D1 parses as SQLite does: all of it and its recorded row, or nothing. */
async function importMigration(
  database: Database,
  migration: string,
  tools: Migrating,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "migration-"));
  try {
    const text = await readFile(join(database.migrations, migration), "utf8");
    const file = join(folder, migration);
    const row = `INSERT INTO d1_migrations (name) VALUES ('${migration}');`;
    await writeFile(file, `${text.trim().replace(/;?$/, ";")}\n${row}\n`);
    const args = ["execute", database.name, "--file", file, "--yes"];
    await d1(database, tools, `import ${migration} into`, args);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function d1(
  { name, file }: Database,
  { wrangler }: Migrating,
  task: string,
  args: string[],
): Promise<string> {
  return wrangler(`${task} ${name}`, ["d1", ...args, "--remote", "--config", file]);
}

async function pendingMigrations(
  account: Pick<Account, "id" | "api">,
  { id, migrations }: Database,
): Promise<string[]> {
  const names = (await readdir(migrations)).filter((name) => name.endsWith(".sql")).toSorted();
  const applied = await appliedMigrations(account, id);
  return names.filter((name) => !applied.has(name));
}

async function appliedMigrations(
  { id, api }: Pick<Account, "id" | "api">,
  database: string,
): Promise<Set<string>> {
  if (database === NOT_YET) return new Set();
  const purpose = { task: "read which migrations are applied", needs: "D1: Edit" };
  const namesBy = async (sql: string): Promise<Set<string>> => {
    const path = `/accounts/${id}/d1/database/${database}/query`;
    type Answers = { results: { name: string }[] }[];
    const answers = await api.query<Answers>(path, { sql }, purpose);
    return new Set(answers.flatMap(({ results }) => results.map(({ name }) => name)));
  };
  const tables = await namesBy("SELECT name FROM sqlite_master WHERE name = 'd1_migrations'");
  return tables.size === 0 ? tables : namesBy("SELECT name FROM d1_migrations");
}

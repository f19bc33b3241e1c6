import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { openAccount } from "../../tools/scripts/deploy/account.ts";
import { configOf, writeConfig } from "../../tools/scripts/deploy/config.ts";
import { migrateDatabases } from "../../tools/scripts/deploy/migrations.ts";
import { openReport } from "../../tools/scripts/deploy/report.ts";
import { openTools } from "../../tools/scripts/deploy/tools.ts";
import { ROOT } from "../../tools/scripts/local/settings.ts";
import { newOperator } from "../support/operator.ts";

const TABLE =
  "CREATE TABLE orders (id text);\n--> statement-breakpoint\nCREATE TABLE log (id text);";

/** Correct SQL that D1 accepts as a file but not as a query: it has a quote in a comment and a trigger of two lines. */
const TRIGGER = `-- What's ordered is logged.
CREATE TRIGGER logged AFTER INSERT ON orders BEGIN
  INSERT INTO log (id) VALUES (NEW.id);
END;`;

const LATER = "CREATE INDEX log_by_id ON log (id);";

async function migrating(files: Record<string, string>) {
  const { cloudflare, world } = await newOperator();
  const folder = await mkdtemp(join(tmpdir(), "migrating-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  cloudflare.databases.set("wellspring", "known");

  const { environment } = world;
  const account = await openAccount(environment);
  const { d1_databases, ...wanted } = await configOf("production");
  const config = {
    ...wanted,
    d1_databases: d1_databases.map((database) => ({
      ...database,
      database_id: "known",
      migrations_dir: relative(ROOT, folder),
    })),
  };
  const file = await writeConfig(world.configFolder, "production", config);
  const lines: string[] = [];
  const report = openReport(false, (line) => lines.push(line));
  const tools = openTools(report, world.configFolder, { environment });
  const migrate = () => migrateDatabases(account, { file, config }, tools);
  const names = (table: string, column = "name") =>
    cloudflare.worker
      .query(`SELECT ${column} AS name FROM ${table} ORDER BY 1`)
      .then((answers) => (answers as { results: { name: string }[] }[])[0]?.results)
      .then((rows) => rows?.map(({ name }) => name));
  return { migrate, names, lines, worker: cloudflare.worker };
}

test("a migration that D1 rejects as a query is imported and recorded", async () => {
  const { migrate, names, lines, worker } = await migrating({
    "0000_table.sql": TABLE,
    "0001_trigger.sql": TRIGGER,
    "0002_later.sql": LATER,
  });
  await migrate();
  expect(await names("d1_migrations")).toEqual([
    "0000_table.sql",
    "0001_trigger.sql",
    "0002_later.sql",
  ]);
  expect(lines).toEqual([
    "imported       0001_trigger.sql, which D1 does not accept as a query",
    "applied        migrations of wellspring: 0000_table.sql, 0001_trigger.sql, 0002_later.sql",
  ]);
  await worker.query("INSERT INTO orders (id) VALUES ('one')");
  expect(await names("log", "id")).toEqual(["one"]);

  lines.length = 0;
  await migrate();
  expect(lines).toEqual(["up to date     migrations of wellspring"]);
});

test("a migration that fails both ways is not recorded as applied", async () => {
  const { migrate, names } = await migrating({
    "0000_table.sql": TABLE,
    "0001_wrong.sql": "CREATE TRIGGER logged AFTER INSERT ON nothing BEGIN\nDELETE FROM log;\nEND;",
  });
  await expect(migrate()).rejects.toThrow("import 0001_wrong.sql into wellspring");
  expect(await names("d1_migrations")).toEqual(["0000_table.sql"]);
});

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, test } from "vitest";

import { refusalOfSize, refusalOfSplitter } from "../support/cloudflare/sql.ts";

const FOLDER = join(import.meta.dirname, "../../migrations");

/** Changes that do not affect a running or rolled-back older release. */
const ADDING = [
  /^CREATE (TABLE|INDEX|UNIQUE INDEX|TRIGGER)\b/i,
  /^INSERT INTO\b/i,
  // A row of an older release does not have the column.
  /^ALTER TABLE `\w+` ADD `\w+` \w+\b(?! NOT NULL)/i,
];

/** Without the comment lines before it. */
const bare = (statement: string) => statement.replaceAll(/^--.*$/gm, "").trim();

const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();

test.for(names)("migration %s only adds", async (name) => {
  const text = await readFile(join(FOLDER, name), "utf8");
  const statements = text.split("--> statement-breakpoint").map(bare).filter(Boolean);
  for (const statement of statements)
    expect([statement, ADDING.some((pattern) => pattern.test(statement))]).toEqual([
      statement,
      true,
    ]);
});

test.for([
  "DROP TABLE `users`",
  "DROP INDEX `users_by_name`",
  "ALTER TABLE `users` RENAME COLUMN `a` TO `b`",
  "ALTER TABLE `users` DROP COLUMN `a`",
  "ALTER TABLE `users` ADD `a` text NOT NULL",
  "UPDATE users SET a = 1",
  "DELETE FROM users",
])("the check detects %s", (statement) => {
  expect(ADDING.some((pattern) => pattern.test(statement))).toBe(false);
});

test.for(names)("D1 accepts migration %s in wrangler's form", async (name) => {
  const text = await readFile(join(FOLDER, name), "utf8");
  const sent = `${text}\nINSERT INTO d1_migrations (name) values ('${name}');`;
  expect(refusalOfSize(sent)).toBeUndefined();
  expect(refusalOfSplitter(sent)).toBeUndefined();
});

test("a checkout leaves the line ends of migrations unchanged", async () => {
  const attributes = await readFile(join(FOLDER, "../.gitattributes"), "utf8");
  expect(attributes.split("\n")).toContain("*.sql text eol=lf");
});

/**
 * Rolled-back releases and restored databases depend on it. The spacing and the comments of a migration may change; a
 * run of this test writes a new one's line.
 */
test("the result of each migration never changes", async () => {
  const db = new DatabaseSync(":memory:");
  const even = (sql: string) => sql.replaceAll(/\s+/g, " ").trim();
  for (const name of names) {
    const text = await readFile(join(FOLDER, name), "utf8");
    db.exec(text);
    const schema = db.prepare("SELECT sql FROM sqlite_master WHERE sql <> '' ORDER BY name").all();
    const made = [
      ...schema.map(({ sql }) => String(sql)),
      ...text.split("--> statement-breakpoint").map(bare),
    ];
    const digest = createHash("sha256").update(made.map(even).join("\n")).digest("hex");
    expect(digest.slice(0, 16)).toMatchSnapshot(name);
  }
});

test("the documentation names for every table the task that trims it", async () => {
  const texts = await Promise.all(names.map((name) => readFile(join(FOLDER, name), "utf8")));
  const tables = texts.flatMap((text) =>
    [...text.matchAll(/CREATE TABLE `(\w+)`/g)].map(([, name]) => name),
  );
  const docs = await readFile(join(FOLDER, "../docs/retention.md"), "utf8");
  const [, growth = ""] = docs.split("## Growth and retention");
  expect(tables.length).toBeGreaterThan(20);
  for (const table of tables)
    expect([table, growth.includes(`\`${table}\``)]).toEqual([table, true]);
});

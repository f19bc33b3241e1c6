import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, onTestFinished, test } from "vitest";

import {
  dropsOf,
  dumpDatabase,
  dumpedFiles,
  loadFiles,
  tablesOf,
} from "../../tools/scripts/backup/dump.ts";

/** A database made by statements, and the path for another one. */
async function databaseOf(sql: string) {
  const folder = await mkdtemp(join(tmpdir(), "dump-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [from, to, dump] = [
    join(folder, "from.sqlite"),
    join(folder, "to.sqlite"),
    join(folder, "dump"),
  ];
  const db = new DatabaseSync(from);
  db.exec(sql);
  await mkdir(dump);
  return { db, from, to, dump };
}

const rowsOf = (database: string, query: string) => {
  const db = new DatabaseSync(database, { readOnly: true });
  try {
    return db.prepare(query).all();
  } finally {
    db.close();
  }
};

test("every value is restored unchanged", async () => {
  const { db, from, to, dump } = await databaseOf(
    `CREATE TABLE "odd ""names""" (id INTEGER PRIMARY KEY, value, "the key")`,
  );
  const values = [
    null,
    0,
    -1.5,
    9_007_199_254_740_993n,
    "",
    "it's",
    "two\nlines; and -- no comment",
    "a\0b",
    "\u{1F600}",
    new Uint8Array([0, 39, 255]),
  ];
  for (const value of values)
    db.prepare(`INSERT INTO "odd ""names""" (value, "the key") VALUES (?, ?)`).run(value, "k");
  db.close();
  await dumpDatabase(from, dump);
  await loadFiles(to, await dumpedFiles(dump));
  const query = `SELECT id, typeof(value) AS type, hex(value) AS value, "the key" FROM "odd ""names"""`;
  expect(rowsOf(to, query)).toEqual(rowsOf(from, query));
  expect(rowsOf(to, query)).toHaveLength(values.length);
});

test("no statement exceeds D1's maximum, for rows of any length", async () => {
  const { db, from, to, dump } = await databaseOf("CREATE TABLE t (a TEXT, b TEXT)");
  // If any piece ends within a character, one of an odd length does.
  const long = `x${"\u{1F600}'é".repeat(60_000)}`;
  db.prepare("INSERT INTO t VALUES (?, ?)").run(long, "short");
  db.prepare("INSERT INTO t VALUES (?, ?)").run("after", long);
  db.close();
  await dumpDatabase(from, dump);
  const files = await dumpedFiles(dump);
  const text = await readFile(files[0] ?? "", "utf8");
  for (const statement of text.split(";\n"))
    expect(Buffer.byteLength(statement)).toBeLessThan(100_000);
  await loadFiles(to, files);
  expect(rowsOf(to, "SELECT * FROM t")).toEqual([
    { a: long, b: "short" },
    { a: "after", b: long },
  ]);
});

test("triggers are restored, but loaded rows do not fire them, and numbers continue", async () => {
  const { db, from, to, dump } = await databaseOf(`
    CREATE TABLE child (parent TEXT REFERENCES parent (id));
    CREATE TABLE parent (id TEXT PRIMARY KEY);
    CREATE TABLE counted (n INTEGER);
    CREATE TABLE numbered (seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT);
    CREATE TRIGGER counting AFTER INSERT ON numbered BEGIN INSERT INTO counted VALUES (NEW.seq); END;
    INSERT INTO parent VALUES ('p'); INSERT INTO child VALUES ('p');
    INSERT INTO numbered (name) VALUES ('a'), ('b'), ('c'); DELETE FROM numbered WHERE name = 'c';`);
  db.close();
  await dumpDatabase(from, dump);
  const files = await dumpedFiles(dump);
  await loadFiles(to, files);
  const counted = () => rowsOf(to, "SELECT n FROM counted").map(({ n }) => n);
  expect(counted()).toEqual([1, 2, 3]);
  const again = new DatabaseSync(to);
  again.exec("INSERT INTO numbered (name) VALUES ('d')");
  again.close();
  expect(counted()).toEqual([1, 2, 3, 4]);

  // A second time, over the existing content.
  await loadFiles(to, files, dropsOf(tablesOf(to)));
  expect(counted()).toEqual([1, 2, 3]);
});

test("a failing file leaves a database unchanged", async () => {
  const { db, from, dump } = await databaseOf("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
  db.close();
  await dumpDatabase(from, dump);
  await expect(loadFiles(from, await dumpedFiles(dump))).rejects.toThrow("already exists");
  expect(rowsOf(from, "SELECT a FROM t")).toEqual([{ a: 1 }]);
});

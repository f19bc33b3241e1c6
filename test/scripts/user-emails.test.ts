import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");

test("the migration keeps a shared address for its users, and assigns it to the first", async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();
  const database = new DatabaseSync(":memory:");
  const apply = async (some: readonly string[]) => {
    for (const name of some) database.exec(await readFile(join(FOLDER, name), "utf8"));
  };
  const upgrade = names.findIndex((name) => name.includes("user_emails"));
  await apply(names.slice(0, upgrade));
  const insert = database.prepare(
    "INSERT INTO users (id, username, email, plan, created_at, updated_at) VALUES (?, 'a', ?, 'free', ?, 1)",
  );
  insert.run("u_later", "Ada@example.com", 2);
  insert.run("u_first", "ada@example.com", 1);
  insert.run("u_other", "eve@example.com", 3);
  await apply(names.slice(upgrade));
  expect(database.prepare("SELECT user_id FROM user_emails ORDER BY email").all()).toEqual([
    { user_id: "u_first" },
    { user_id: "u_other" },
  ]);
  expect(database.prepare("SELECT count(*) AS n FROM users").get()).toEqual({ n: 3 });
});

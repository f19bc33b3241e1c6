import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, test } from "vitest";

const FOLDER = join(import.meta.dirname, "../../migrations");

test("existing workflows have their definition as version 1, with its code", async () => {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".sql")).toSorted();
  const database = new DatabaseSync(":memory:");
  const apply = async (some: readonly string[]) => {
    for (const name of some) database.exec(await readFile(join(FOLDER, name), "utf8"));
  };
  const upgrade = names.findIndex((name) => name.includes("workflow_versions"));
  await apply(names.slice(0, upgrade));
  const deployed = database.prepare(
    `INSERT INTO workflows (id, owner_id, deployment_id, name, active, "trigger", steps, created_at, updated_at)
     VALUES (?, 'u_1', ?, ?, 1, '{"type":"none"}', '[{"name":"one"}]', 1, 2)`,
  );
  deployed.run("p_1", "d_new", "First");
  deployed.run("p_2", "d_2", "Second");
  const listed = database.prepare("INSERT INTO workflow_code VALUES ('p_1', ?, 'u_1', ?, 1)");
  listed.run("d_old", "of-a-run");
  listed.run("d_new", "current");
  await apply(names.slice(upgrade));
  const version = { version: 1, trigger: '{"type":"none"}', steps: '[{"name":"one"}]' };
  const recorded = { ...version, user_id: null, restored_from: null, created_at: 2 };
  expect(database.prepare("SELECT * FROM workflow_versions ORDER BY workflow_id").all()).toEqual([
    { ...recorded, workflow_id: "p_1", name: "First" },
    { ...recorded, workflow_id: "p_2", name: "Second" },
  ]);
  expect(database.prepare("SELECT * FROM workflow_version_code").all()).toEqual([
    { workflow_id: "p_1", version: 1, hash: "current" },
  ]);
  expect(database.prepare("SELECT version, deployed_ms AS n FROM workflows").all()).toEqual([
    { version: 1, n: 0 },
    { version: 1, n: 0 },
  ]);
});

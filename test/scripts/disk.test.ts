import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { isDiskFull } from "../../tools/scripts/local/disk.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";

const START = join(import.meta.dirname, "../../tools/scripts/start.ts");

function errorOf(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

test("a start on a full disk fails with one line that names the cause", async () => {
  const STATE_DIR = await mkdtemp(join(tmpdir(), "full-"));
  onTestFinished(() => rm(STATE_DIR, { recursive: true, force: true }));
  // Every write to it fails as on a full disk.
  await symlink("/dev/full", join(STATE_DIR, "probe.tmp"));
  const options = { env: { ...process.env, STATE_DIR, PORT: String(await freePort()) } };
  const starting = promisify(execFile)(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", START],
    options,
  );
  await expect(starting).rejects.toMatchObject({
    code: 1,
    stdout: "",
    stderr: `The disk of ${STATE_DIR} is full. Free some space and start again\n`,
  });
});

test("only the errors of a full disk are recognised", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE t (text); PRAGMA max_page_count = 2");
  const full = errorOf(() => database.exec("INSERT INTO t VALUES (zeroblob(100000))"));
  expect(isDiskFull(full)).toBe(true);
  expect(isDiskFull(errorOf(() => writeFileSync("/dev/full", "x")))).toBe(true);
  expect(isDiskFull(new Error("D1_ERROR: database or disk is full: SQLITE_FULL"))).toBe(true);
  expect(isDiskFull(new Error("It failed", { cause: full }))).toBe(true);
  expect(isDiskFull(errorOf(() => writeFileSync("/nowhere/file", "x")))).toBe(false);
  expect(isDiskFull(errorOf(() => database.exec("SELECT * FROM nothing")))).toBe(false);
});

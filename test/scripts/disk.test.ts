import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

import { expect, test } from "vitest";

import { isDiskFull, explainDisk } from "../../tools/scripts/local/disk.ts";
import { Refusal } from "../../tools/scripts/local/refusal.ts";

function errorOf(action: () => void): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}

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

test.for(["EROFS", "EACCES", "EPERM"])(
  "%s of the state folder is explained in one line",
  (code) => {
    const error = Object.assign(new Error(`${code}: mkdir`), { code, path: "/state/v3" });
    expect(explainDisk(error, "/state")).toEqual(
      new Refusal(`STATE_DIR /state cannot be written: ${code}`),
    );
    expect(explainDisk(error, "/elsewhere")).toBe(error);
  },
);

import { expect, test } from "vitest";

import { rowOf } from "#domain/page.ts";
import type { CursorList } from "#vault/cursors.ts";
import { openVault } from "#vault/vault.ts";

const ONE = "11".repeat(32);
const TWO = "22".repeat(32);
const LIST: CursorList = ["u_1", "/v1/users/me/sources"];
const ROW = { kind: "row", seq: 1_234_567 } as const;

const vault = openVault({ MASTER_KEY: ONE });

test("a cursor is read in its list, and hides its position", async () => {
  const cursor = await vault.sealCursor(ROW, LIST);
  expect(cursor).toMatch(/^c1\.[\w-]{48}$/);
  expect(await vault.openCursor(cursor, LIST, rowOf)).toBe(1_234_567);
  expect(await vault.sealCursor(ROW, LIST)).toBe(cursor);
  expect(await vault.sealCursor({ kind: "row", seq: 1_234_568 }, LIST)).not.toBe(cursor);
});

test.for<[CursorList]>([
  [["u_2", "/v1/users/me/sources"]],
  [["u_1", "/v1/users/me/workflows"]],
  [["u_1/v1/users/me/sources"]],
  [["u_1", "/v1/users/me/sources", ""]],
])("a cursor is not read in the list %j", async ([list]) => {
  const cursor = await vault.sealCursor(ROW, LIST);
  expect(await vault.openCursor(cursor, list, rowOf)).toBeUndefined();
  expect(await vault.sealCursor(ROW, list)).not.toBe(cursor);
});

test("a cursor with any character altered, added or removed is not read", async () => {
  const cursor = await vault.sealCursor(ROW, LIST);
  const altered = Array.from({ length: cursor.length }, (_, at) => [
    cursor.slice(0, at) + (cursor[at] === "B" ? "C" : "B") + cursor.slice(at + 1),
    cursor.slice(0, at) + cursor.slice(at + 1),
  ]).flat();
  for (const text of [...altered, `${cursor}A`, `${cursor}=`, ` ${cursor}`, "c1.", "c1.AAAA"])
    expect([text, await vault.openCursor(text, LIST, rowOf)]).toEqual([text, undefined]);
});

test("a cursor is read with a previous master key, and with no other", async () => {
  const cursor = await vault.sealCursor(ROW, LIST);
  const rotated = openVault({ MASTER_KEY: TWO, PREVIOUS_MASTER_KEYS: ONE });
  expect(await rotated.openCursor(cursor, LIST, rowOf)).toBe(1_234_567);
  expect(await rotated.sealCursor(ROW, LIST)).not.toBe(cursor);
  const other = openVault({ MASTER_KEY: TWO });
  expect(await other.openCursor(cursor, LIST, rowOf)).toBeUndefined();
});

test("a cursor that earlier releases made is read in any list", async () => {
  expect(await vault.openCursor("cjQy", LIST, rowOf)).toBe(42);
});

import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { StoreReply } from "#domain/data-store.ts";
import { newId } from "#domain/ids.ts";
import { MAX_ROW_BYTES } from "#domain/row-size.ts";

import { expectRowsFit } from "../support/rows.ts";

async function open() {
  const stub = env.DATA_STORES.getByName(newId("data_store"));
  await stub.open();
  return stub;
}

type Stub = Awaited<ReturnType<typeof open>>;

const set = (stub: Stub, key: string, value: string, ttl: number | null = null) =>
  stub.perform({ op: "set", key, value, ttl }) as Promise<StoreReply>;

const rowsIn = (stub: Stub) =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM records").one(),
  );

test("expired records do not count, and the alarm frees their space", async () => {
  const stub = await open();
  await set(stub, "a", "1", 0.01);
  await set(stub, "b", "22");
  await scheduler.wait(20);
  expect(await stub.size()).toEqual({ records: 1, bytes: 3 });
  expect(await rowsIn(stub)).toEqual({ n: 2 });
  expect(await runDurableObjectAlarm(stub)).toBe(true);
  expect(await rowsIn(stub)).toEqual({ n: 1 });
  expect(await stub.size()).toEqual({ records: 1, bytes: 3 });
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

test("the alarm is set again for later expiries", async () => {
  const stub = await open();
  await set(stub, "late", "1", 3600);
  await set(stub, "soon", "1", 0.01);
  await scheduler.wait(20);
  await runDurableObjectAlarm(stub);
  const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(alarm).toBeGreaterThan(Date.now() + 3_500_000);
});

test("a full store rejects records with a reason, and accepts smaller ones", async () => {
  const stub = await open();
  await set(stub, "k", `"old"`);
  await set(stub, "gone", `"${"x".repeat(1000)}"`, 0.01);
  await runInDurableObject(stub, (_, { storage }) => {
    storage.sql.exec("UPDATE totals SET bytes = ?", 1024 ** 3 - 10);
  });
  await scheduler.wait(20);
  // Expired records free their space without the alarm.
  expect(await set(stub, "new", `"${"y".repeat(900)}"`)).toMatchObject({ ok: true });
  expect(await set(stub, "more", `"${"z".repeat(900)}"`)).toEqual({
    ok: false,
    message: "the store is full: it may hold at most 1 GB; delete records or give them a ttl",
  });
  expect(await stub.record("more")).toBeNull();
  expect(await set(stub, "new", `""`)).toMatchObject({ ok: true });
  expect(await set(stub, "more", `"${"z".repeat(900)}"`)).toMatchObject({ ok: true });
});

test("sizes follow every change", async () => {
  const stub = await open();
  await set(stub, "é", `"ü"`);
  expect(await stub.size()).toEqual({ records: 1, bytes: 6 });
  await set(stub, "é", "1");
  expect(await stub.size()).toEqual({ records: 1, bytes: 3 });
  await set(stub, "b", "1");
  await stub.perform({ op: "delete", key: "é" });
  expect(await stub.size()).toEqual({ records: 1, bytes: 2 });
  await stub.perform({ op: "clear" });
  expect(await stub.size()).toEqual({ records: 0, bytes: 0 });
});

test("a name without a store holds no storage, even after a request", async () => {
  const stub = env.DATA_STORES.getByName("ds_stranger");
  expect(await set(stub, "k", "1")).toEqual({
    ok: false,
    message: "the store does not exist any more",
  });
  const tables = await runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'records'").toArray(),
  );
  expect(tables).toEqual([]);
});

test.for([
  ["ASCII", "x", 1],
  ["characters of three bytes", "€", 3],
  ["control characters, which JSON escapes", "\u0001", 6],
] as const)("the largest record, of %s, fits its row", async ([, character, bytes]) => {
  const stub = await open();
  const key = "€".repeat(341);
  const valueOf = (size: number) => JSON.stringify(character.repeat(Math.floor(size / bytes)));
  const largest = 1024 * 1024 - 1023 - 2;
  expect(await set(stub, key, valueOf(largest))).toMatchObject({ ok: true });
  expect(await set(stub, key, valueOf(largest + 10))).toMatchObject({ ok: false });
  expect(await expectRowsFit(stub)).toBeGreaterThan(MAX_ROW_BYTES / 2);
});

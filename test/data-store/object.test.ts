import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { StoreReply } from "#domain/data-store.ts";
import { newId } from "#domain/ids.ts";
import { MAX_ROW_BYTES } from "#domain/row-size.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";

import { later } from "../support/clock.ts";
import { setStoredBytes, storedRecords } from "../support/data-store.ts";
import { expectRowsFit } from "../support/rows.ts";

async function open() {
  const stub = env.DATA_STORES.getByName(newId("data_store"));
  await stub.open();
  return stub;
}

type Stub = Awaited<ReturnType<typeof open>>;

const set = (stub: Stub, key: string, value: string, ttl: number | null = null) =>
  stub.perform({ op: "set", key, value, ttl }) as Promise<StoreReply>;

test("expired records do not count, and the alarm frees their space", async () => {
  const stub = await open();
  await set(stub, "a", "1", 60);
  await set(stub, "b", "22");
  await later(60_000, async () => {
    expect(await stub.size()).toEqual({ records: 1, bytes: 3 });
    expect(await storedRecords(stub)).toBe(2);
    expect(await runDurableObjectAlarm(stub)).toBe(true);
  });
  expect(await storedRecords(stub)).toBe(1);
  expect(await stub.size()).toEqual({ records: 1, bytes: 3 });
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

test("the alarm is set again for later expiries", async () => {
  const stub = await open();
  await set(stub, "late", "1", 3600);
  const { expiresAtMs } = (await stub.record("late")) ?? {};
  await set(stub, "soon", "1", 60);
  await later(60_000, () => runDurableObjectAlarm(stub));
  const alarm = await runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
  expect(alarm).toBeGreaterThanOrEqual(expiresAtMs ?? Infinity);
});

test("a full store rejects records with a reason, and accepts smaller ones", async () => {
  const stub = await open();
  await set(stub, "k", `"old"`);
  await set(stub, "gone", `"${"x".repeat(1000)}"`, 60);
  await setStoredBytes(stub, 1024 ** 3 - 10);
  // Expired records free their space without the alarm.
  await later(60_000, async () => {
    expect(await set(stub, "new", `"${"y".repeat(900)}"`)).toMatchObject({ ok: true });
  });
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
  expect(await runInDurableObject(stub, (_, { storage }) => isSetUp(storage))).toBe(false);
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

import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { type Deployed, deploySharded, objectOf, sendMany, update } from "../support/shards.ts";

type Alert = { kind: string; recovered: boolean; details: { failures: number } };

const SHARDS = 3;
const ALL = Array.from({ length: SHARDS }, (_, shard) => shard);

/** The alerts of a source, oldest first. */
async function alertsOf({ ada, id }: Deployed): Promise<Alert[]> {
  const { body } = await ada.get(`/sources/${id}/$alerts/event_summaries?limit=100`);
  return body.data.map(({ event }: { event: Alert }) => event).toReversed();
}

const openAlerts = async ({ ada }: Deployed) => (await ada.get("/users/me/alerts")).body.data;

/** The number of shards whose results the source's own object lacks. */
async function unreported({ id }: Deployed): Promise<number> {
  const due = await Promise.all(
    ALL.map((shard) =>
      runInDurableObject(
        objectOf(id, shard),
        (_, { storage }) => storage.kv.get<{ dueMs?: number }>("shard_runs")?.dueMs,
      ),
    ),
  );
  return due.filter((one) => one !== undefined).length;
}

const fail = (source: Deployed, count: number) => sendMany(source.url, 0, count, { fail: true });

test("failed runs of all shards raise one alert, also over crashes, and a successful run ends it", async () => {
  const source = await deploySharded(SHARDS);
  await fail(source, 6);
  for (const shard of ALL) await evictDurableObject(objectOf(source.id, shard));
  await fail(source, 9);
  await expect.poll(() => alertsOf(source), { timeout: 20_000 }).toHaveLength(1);
  const [alert] = await alertsOf(source);
  expect(alert).toMatchObject({ kind: "failing", recovered: false, subject: { id: source.id } });
  expect(alert?.details.failures).toBeGreaterThanOrEqual(10);
  await fail(source, 15);
  await expect.poll(() => unreported(source), { timeout: 20_000 }).toBe(0);
  expect(await alertsOf(source)).toHaveLength(1);
  await expect
    .poll(() => openAlerts(source))
    .toMatchObject([{ kind: "failing", subject: { id: source.id } }]);
  await sendMany(source.url, 100, 20);
  await expect.poll(() => alertsOf(source), { timeout: 20_000 }).toHaveLength(2);
  expect((await alertsOf(source))[1]).toMatchObject({ kind: "failing", recovered: true });
  await expect.poll(() => openAlerts(source)).toEqual([]);
}, 90_000);

test("successful runs between failed ones prevent an alert, on whatever shard they run", async () => {
  const source = await deploySharded(SHARDS);
  for (const round of [1, 2]) {
    await fail(source, 9);
    await sendMany(source.url, round * 100, 20);
  }
  await expect.poll(() => unreported(source), { timeout: 20_000 }).toBe(0);
  expect(await alertsOf(source)).toEqual([]);
});

test("a shard knows its last successful run after a crash", async () => {
  const source = await deploySharded(2);
  const beforeMs = Date.now();
  await sendMany(source.url, 0, 30);
  const lastMs = await objectOf(source.id, 1).lastSuccessMs();
  await evictDurableObject(objectOf(source.id, 1));
  // Or of the run before it, which is stored more seldom.
  const times = [beforeMs, await objectOf(source.id, 1).lastSuccessMs(), lastMs, Date.now()];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("a source that gets one shard again counts by itself", async () => {
  const source = await deploySharded(2);
  await fail(source, 14);
  await expect.poll(() => alertsOf(source), { timeout: 20_000 }).toHaveLength(1);
  await update(source, { shards: 1 });
  await sendMany(source.url, 100, 2);
  await expect.poll(() => alertsOf(source)).toHaveLength(2);
  expect((await alertsOf(source))[1]).toMatchObject({ recovered: true });
  await fail(source, 10);
  await expect.poll(() => alertsOf(source)).toHaveLength(3);
});

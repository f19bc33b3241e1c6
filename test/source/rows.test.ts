import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { pendingWork, undeliveredEvents } from "../support/source-tables.ts";
import { watchAllRows } from "../support/written-rows.ts";

const ECHO = `export default {
  props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) },
}`;

type Source = Awaited<ReturnType<typeof deploy>>;

const TICKING = `export default {
  props: { timer: { type: "$.interface.timer" } },
  run(event) { this.$emit(event) },
}`;

/** The number of rows that a source writes for its next event, after an eviction. */
async function rowsOfNext(stub: Source["stub"], url: string): Promise<number> {
  await evictDurableObject(stub);
  const before = (await eventsOf(stub)).length;
  const written = await watchAllRows(stub);
  await sendJson(url, 2);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(before + 1);
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  return written().length;
}

test("an event is two rows and an alarm, even after an eviction", async () => {
  const { stub, url } = await deploy(ECHO);
  await sendJson(url, 1);
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  // The event of a run that takes longer than 20 ms has two more rows, in the inbox.
  await expect.poll(() => rowsOfNext(stub, url)).toBeLessThanOrEqual(3);
});

test("a tick is its event, the acknowledgement, its timer and two alarms", async () => {
  const { stub } = await deploy(TICKING, {
    props: { timer: { cron: null, interval_seconds: 60 } },
  });
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  await runDurableObjectAlarm(stub);
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
  await evictDurableObject(stub);
  await eventsOf(stub);
  const written = await watchAllRows(stub);
  await runDurableObjectAlarm(stub);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(2);
  await expect.poll(() => undeliveredEvents(stub)).toBe(0);
  // The second alarm looks after the outbox, before the next tick.
  await runDurableObjectAlarm(stub);
  expect(written()).toHaveLength(5);
});

test("of a stream, most events are deleted once they are acknowledged, and not updated before", async () => {
  const { stub, url } = await deploy(ECHO);
  const written = await watchAllRows(stub);
  await Promise.all(Array.from({ length: 1000 }, (_, n) => sendJson(url, n)));
  await expect.poll(() => pendingWork(stub)).toBe(0);
  // Of each event but the last hundred, a row is stored and deleted.
  expect(await stub.events({ limit: 1, expand: false })).toMatchObject({ totalCount: 100 });
  // The events of runs that take longer than 20 ms are in the inbox meanwhile.
  const rows = written().filter((what) => !/\binbox\b/.test(what));
  expect(rows.length).toBeLessThan(2 * 1000 + 200);
});

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf, sendJson } from "../support/deploy.ts";
import { watchRows } from "../support/written-rows.ts";

const ECHO = `export default {
  props: { http: "$.interface.http" },
  run({ body }) { this.$emit(body) },
}`;

const TICKING = `export default {
  props: { timer: { type: "$.interface.timer" } },
  run(event) { this.$emit(event) },
}`;

type Stub = Awaited<ReturnType<typeof deploy>>["stub"];

function undelivered(stub: Stub) {
  return runInDurableObject(
    stub,
    (_, { storage }) =>
      storage.sql.exec("SELECT 1 FROM events WHERE undelivered = 1").toArray().length,
  );
}

test("an event is two rows plus its usage, even after an eviction", async () => {
  const { stub, url } = await deploy(ECHO);
  await sendJson(url, 1);
  await expect.poll(() => undelivered(stub)).toBe(0);
  await evictDurableObject(stub);
  await eventsOf(stub);
  const written = await watchRows(stub);
  await sendJson(url, 2);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(2);
  await expect.poll(() => undelivered(stub)).toBe(0);
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 3);
});

test("a tick is its event, the acknowledgement, its timer and three alarms, plus the rows of its usage", async () => {
  const { stub } = await deploy(TICKING, {
    props: { timer: { cron: null, interval_seconds: 60 } },
  });
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  await expect.poll(() => undelivered(stub)).toBe(0);
  await runDurableObjectAlarm(stub);
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
  const written = await watchRows(stub);
  await runDurableObjectAlarm(stub);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(2);
  await expect.poll(() => undelivered(stub)).toBe(0);
  expect(written()).toSatisfy((rows: string[]) => rows.length <= 6);
});

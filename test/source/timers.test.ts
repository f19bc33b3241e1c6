import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { expect, test } from "vitest";

import { deploy, eventsOf } from "../support/deploy.ts";
import { newReceiver } from "../support/webhook.ts";

const TICKING = `export default {
  props: { timer: { type: "$.interface.timer" }, db: "$.service.db" },
  async run(event) { this.$emit(event); if (this.gate) await fetch(this.gate, { method: "POST" }) },
}`;

const EVERY_MINUTE = { timer: { cron: null, interval_seconds: 60 } };

async function events(stub: Awaited<ReturnType<typeof deploy>>["stub"]) {
  return (await eventsOf(stub)).map(({ event }) => event);
}

/** Make the timers of a source due. */
async function makeDue(stub: Awaited<ReturnType<typeof deploy>>["stub"]) {
  await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    for (const timer of Object.values(timers)) timer.dueMs = Date.now();
    storage.kv.put("timers", timers);
  });
}

test("an interval ticks on deployment, and keeps its phase", async () => {
  const { stub } = await deploy(TICKING, { props: EVERY_MINUTE });
  await expect
    .poll(() => events(stub))
    .toEqual([{ timestamp: expect.any(Number), interval_seconds: 60 }]);
  const [first] = await events(stub);
  const { timer } = await runInDurableObject(
    stub,
    (_, { storage }) => storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {},
  );
  const timestamp = Math.floor(((timer?.dueMs ?? 0) - 60_000) / 1000);
  expect(first).toEqual({ timestamp, interval_seconds: 60 });
  await makeDue(stub);
  await runDurableObjectAlarm(stub);
  await expect.poll(async () => (await events(stub)).length).toBe(2);
});

test("a cron timer waits for its first match", async () => {
  const cron = { cron: "0 9 * * 1", interval_seconds: null, timezone: "Europe/Berlin" };
  const { stub } = await deploy(TICKING, { props: { timer: cron } });
  expect(await events(stub)).toEqual([]);
  await makeDue(stub);
  await runDurableObjectAlarm(stub);
  await expect
    .poll(() => events(stub))
    .toEqual([{ timestamp: expect.any(Number), cron: "0 9 * * 1" }]);
});

test("a tick during the last one is skipped and recorded", async () => {
  const gate = await newReceiver({ status: 200, isHeld: true });
  const { stub } = await deploy(TICKING, { props: { ...EVERY_MINUTE, gate: gate.url } });
  await expect.poll(gate.received).toHaveLength(1);
  await makeDue(stub);
  await runDurableObjectAlarm(stub);
  await expect
    .poll(() => eventsOf(stub, "$logs"))
    .toMatchObject([
      { event: { level: "warn", message: expect.stringMatching(/tick of "timer" was skipped/) } },
    ]);
  await gate.release();
  await expect.poll(async () => (await events(stub)).length).toBe(1);
});

test("an inactive source does not tick, and a reactivated one does", async () => {
  const { stub, deployment } = await deploy(TICKING, { props: EVERY_MINUTE });
  await expect.poll(async () => (await events(stub)).length).toBe(1);
  await stub.update(deployment, false);
  await makeDue(stub);
  await runDurableObjectAlarm(stub);
  expect((await events(stub)).length).toBe(1);
  await stub.update(deployment, true);
  await expect.poll(async () => (await events(stub)).length).toBe(2);
});

test("an update with the same schedule does not tick again", async () => {
  const { stub, deployment } = await deploy(TICKING, { props: EVERY_MINUTE });
  await expect.poll(async () => (await events(stub)).length).toBe(1);
  await stub.update(deployment, true);
  await runDurableObjectAlarm(stub);
  expect((await events(stub)).length).toBe(1);
});

test("a component without run emits its timer's event", async () => {
  const { stub } = await deploy(
    `export default { dedupe: "unique", props: { timer: { type: "$.interface.timer" } } }`,
    { props: EVERY_MINUTE },
  );
  await expect
    .poll(() => events(stub))
    .toEqual([{ timestamp: expect.any(Number), interval_seconds: 60 }]);
});

test("a removed source never ticks again", async () => {
  const { stub } = await deploy(TICKING, { props: EVERY_MINUTE });
  await stub.remove();
  expect(await runDurableObjectAlarm(stub)).toBe(false);
});

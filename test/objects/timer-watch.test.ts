import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import type { Json } from "#domain/json.ts";

import { type signUp } from "../support/client.ts";
import { deploy, eventsOf } from "../support/deploy.ts";
import { movableClock } from "../support/movable-clock.ts";
import { rowsIn } from "../support/owner-tables.ts";
import { code, deployWorkflow } from "../support/workflow.ts";
import { watchAllRows } from "../support/written-rows.ts";

const HOUR_MS = 3600_000;

const TICKING = `export default { props: { timer: "$.interface.timer" }, run(event) { this.$emit(event) } }`;

const HOURLY = { cron: null, interval_seconds: 3600 };

type Owner = Awaited<ReturnType<typeof signUp>>["user"]["id"];

function alarmOf(stub: DurableObjectStub): Promise<number | null> {
  return runInDurableObject(stub, (_, { storage }) => storage.getAlarm());
}

/** An object of an owner that has timers, and whose usage is in D1: its alarm is for a check. */
async function watching(ownerId: Owner) {
  const owner = env.OWNERS.getByName(ownerId);
  const reports = () =>
    runInDurableObject(owner, (_, { storage }) => rowsIn(storage, "usage_reports"));
  await expect.poll(reports).toBe(1);
  await runDurableObjectAlarm(owner);
  return owner;
}

/** Drop an emitter's alarm, as the runtime does after six failures, and let the owner's object check its timers. */
async function dropAlarm(stub: DurableObjectStub, ownerId: Owner): Promise<void> {
  const clock = movableClock();
  const owner = env.OWNERS.getByName(ownerId);
  const dueMs = await runInDurableObject(stub, (_, { storage }) => {
    const timers = storage.kv.get<Record<string, { dueMs: number }>>("timers") ?? {};
    return timers["timer"]?.dueMs ?? 0;
  });
  // Once the usage of the last tick was reported, and written to D1.
  await expect
    .poll(async () => (await runDurableObjectAlarm(owner)) && alarmOf(owner))
    .toBeGreaterThan(dueMs + HOUR_MS);
  const checkMs = (await alarmOf(owner)) ?? 0;
  expect(checkMs).toBeLessThanOrEqual(dueMs + HOUR_MS + 60_000);
  clock.pass(checkMs - Date.now() + 1000);
  await runInDurableObject(stub, (_, { storage }) => storage.deleteAlarm());
  await runDurableObjectAlarm(owner);
  expect(await runDurableObjectAlarm(stub)).toBe(true);
}

test.for<[string, Json]>([
  ["an interval", HOURLY],
  ["a cron expression", { cron: "0 * * * *", interval_seconds: null }],
])(
  "a timer of %s whose alarm was dropped ticks again, and its owner is alerted",
  async ([, timer]) => {
    const { stub, deployment } = await deploy(TICKING, { props: { timer } });
    const before = "interval_seconds" in Object(timer) && Object(timer).cron === null ? 1 : 0;
    await expect.poll(async () => (await eventsOf(stub)).length).toBe(before);
    await dropAlarm(stub, deployment.ownerId as Owner);
    await expect.poll(async () => (await eventsOf(stub)).length).toBe(before + 1);
    const alerts = await eventsOf(stub, "$alerts");
    expect(alerts.map(({ event }) => event)).toMatchObject([
      { kind: "late", recovered: false, message: expect.stringContaining("missed two ticks") },
    ]);
  },
);

test("a workflow's timer whose alarm was dropped ticks again, and its owner is alerted", async () => {
  const { stub, user, id } = await deployWorkflow({
    trigger: { type: "timer", interval_seconds: 3600 },
    steps: [{ name: "one", component_code: code("return 1") }],
  });
  const runs = async () => (await user.get(`/workflows/${id}/runs`)).body.data.length;
  await expect.poll(runs).toBe(1);
  await dropAlarm(stub, user.user.id);
  await expect.poll(runs).toBe(2);
  const { data } = (await user.get(`/workflows/${id}/$alerts/event_summaries?expand=event`)).body;
  expect(data).toMatchObject([{ event: { kind: "late", recovered: false } }]);
});

test("a tick is one row in the object of its owner, and the check of its timer follows it", async () => {
  const { stub, deployment } = await deploy(TICKING, { props: { timer: HOURLY } });
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  const clock = movableClock();
  const owner = await watching(deployment.ownerId as Owner);
  const checkMs = await alarmOf(owner);
  const written = await watchAllRows(owner);
  clock.pass(HOUR_MS);
  await runDurableObjectAlarm(stub);
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(2);
  await expect.poll(written).toHaveLength(2);
  // The alarm that writes usage to D1 stands for all ticks until then.
  expect(written().map((what) => what.split(" ")[0])).toEqual(["setAlarm", "INSERT"]);
  await runDurableObjectAlarm(owner);
  expect(await alarmOf(owner)).toBe((checkMs ?? 0) + HOUR_MS);
});

test("the timers of a removed source are watched no longer", async () => {
  const { stub, deployment } = await deploy(TICKING, { props: { timer: HOURLY } });
  await expect.poll(async () => (await eventsOf(stub)).length).toBe(1);
  const clock = movableClock();
  const owner = await watching(deployment.ownerId as Owner);
  await stub.remove();
  clock.pass(3 * HOUR_MS);
  await runDurableObjectAlarm(owner);
  expect(await alarmOf(owner)).toBeNull();
});

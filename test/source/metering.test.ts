import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";

import { dayOf, NOTHING_USED } from "#domain/billing.ts";
import { newId, type OwnerId } from "#domain/ids.ts";
import { Meter } from "#durable-objects/shared/meter.ts";
import { UsageTotals } from "#durable-objects/shared/usage-totals.ts";

import { stopClock } from "../support/clock.ts";
import { deploy, deploymentOf, eventsOf, sendJson } from "../support/deploy.ts";
import {
  forgetReports,
  leaveInInbox,
  moveEvents,
  runsCommitted,
  storedEvents,
  storedUsage,
  undeliveredEvents,
  waitingEvents,
} from "../support/source-tables.ts";
import { usedOn } from "../support/usage.ts";
import { newReceiver } from "../support/webhook.ts";

type Source = Awaited<ReturnType<typeof deploy>>;

/** Emits, waits or fails as its request specifies. */
const COUNTED = `export default {
  props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.gate) await fetch(body.gate, { method: "POST" });
    for (let n = 0; n < (body.emits ?? 0); n += 1) this.$emit(n);
    if (body.fails) throw new Error("no");
  },
}`;

/** The same with state, so that runs are in order. */
const STATEFUL = COUNTED.replace("props: {", `props: { db: "$.service.db",`);

const today = () => dayOf(Date.now() / 1000);

/** The counts of an owner today. */
const usageOf = (ownerId: OwnerId) => usedOn(ownerId, today());

const invocationsOf = async ({ deployment }: Source) =>
  (await usageOf(deployment.ownerId)).invocations;

/** The number of reported runs, after the pending alarm has fired. */
async function reportedBy(source: Source) {
  await runDurableObjectAlarm(source.stub);
  return invocationsOf(source);
}

test("runs are counted for their owner and day, and reported within five seconds", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 1 }, { emits: 5 }, { fails: true }]) {
    await sendJson(source.url, body);
  }
  await expect.poll(() => waitingEvents(source.stub)).toBe(0);
  await expect.poll(() => invocationsOf(source)).toBe(4);
  // Every run takes at least a millisecond.
  expect(await usageOf(source.deployment.ownerId)).toMatchObject({ credits: 4, computeMs: 4 });
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => waitingEvents(source.stub)).toBe(0);
  await expect.poll(() => invocationsOf(source)).toBe(5);
});

test.for([
  ["side by side", COUNTED],
  ["in order", STATEFUL],
] as const)("compute is the time of each run, for runs %s", async ([, code]) => {
  const clock = stopClock();
  const source = await deploy(code);
  await sendJson(source.url, {});
  const gates = await Promise.all([1, 2, 3].map(() => newReceiver({ status: 200, isHeld: true })));
  const answers = gates.map(({ url: gate }) => sendJson(source.url, { gate, emits: 1 }));
  const together = code === STATEFUL ? gates.map((gate) => [gate]) : [gates];
  for (const group of together) {
    for (const { received } of group) await expect.poll(received).toHaveLength(1);
    clock.advance(300);
    for (const { release } of group) await release();
  }
  await Promise.all(answers);
  await expect.poll(() => reportedBy(source)).toBe(4);
  const { computeMs } = await usageOf(source.deployment.ownerId);
  expect(computeMs).toBe(1 + 3 * 300);
});

test.for([
  ["that emit", { emits: 2 }],
  ["that leave nothing", {}],
] as const)("many concurrent runs %s are counted once each", async ([, body]) => {
  const sources = await Promise.all([COUNTED, STATEFUL].map((code) => deploy(code)));
  await Promise.all(
    sources.flatMap(({ url }) => Array.from({ length: 300 }, () => sendJson(url, body))),
  );
  for (const source of sources) await expect.poll(() => reportedBy(source)).toBe(300);
});

test("hooks and their emits count as compute, and not as invocations", async () => {
  const clock = stopClock();
  const gate = await newReceiver({ status: 200, isHeld: true });
  const deploying = deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: { async deploy() { this.$emit(1); await fetch("${gate.url}", { method: "POST" }) }, activate() { console.log("on") } },
    run() {},
  }`);
  await expect.poll(gate.received).toHaveLength(1);
  clock.advance(200);
  await gate.release();
  const source = await deploying;
  expect(await eventsOf(source.stub)).toHaveLength(1);
  await runDurableObjectAlarm(source.stub);
  const used = () => usageOf(source.deployment.ownerId);
  expect(await used()).toEqual({ invocations: 0, credits: 0, computeMs: 200 });
  await sendJson(source.url, {});
  await expect.poll(() => reportedBy(source)).toBe(1);
  expect(await used()).toMatchObject({ invocations: 1, computeMs: 201 });
});

test("counts the hooks of a failed create and of a deletion", async () => {
  const clock = stopClock();
  const gates = await Promise.all([1, 2].map(() => newReceiver({ status: 200, isHeld: true })));
  const [first = "", last = ""] = gates.map(
    ({ url }) => `await fetch("${url}", { method: "POST" });`,
  );
  const doomed = (body: string, end: string) => `export default {
    hooks: { async deploy() { ${body} }, async deactivate() { ${end} } },
    run() {},
  }`;
  const failing = await deploymentOf(doomed(`${first} throw new Error("no")`, ""));
  const deleted = await deploy(doomed("", last));
  const calls = [
    env.SOURCES.getByName(failing.sourceId).deploy(failing),
    deleted.stub.remove(),
  ] as const;
  for (const { received } of gates) await expect.poll(received).toHaveLength(1);
  clock.advance(100);
  for (const { release } of gates) await release();
  const [outcome] = await Promise.all(calls);
  expect(outcome).toMatchObject({ ok: false });
  for (const { ownerId } of [failing, deleted.deployment])
    expect((await usageOf(ownerId)).computeMs).toBe(100);
});

test("ticks and deliveries are invocations", async () => {
  const source = await deploy(
    `export default { props: { timer: "$.interface.timer" }, run(event) { this.$emit(event) } }`,
    { props: { timer: { cron: null, interval_seconds: 60 } } },
  );
  await expect.poll(() => eventsOf(source.stub)).toHaveLength(1);
  const event = { channel: "", emitId: "e", payload: "{}", hops: 1, eventId: "1-0" };
  const delivery = { ...event, emitterId: newId("source"), position: Date.now() * 1000 };
  await source.stub.receive([delivery]);
  await source.stub.receive([delivery]);
  await expect.poll(() => reportedBy(source)).toBe(2);
});

test("unreported usage survives an eviction", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 3 }, { emits: 1 }]) await sendJson(source.url, body);
  await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(4);
});

test("a report that a crash left unrecorded is not counted twice", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await expect.poll(() => reportedBy(source)).toBe(2);
  await forgetReports(source.stub);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(3);
});

test("an event that runs again after a crash is one invocation", async () => {
  const source = await deploy(COUNTED);
  await leaveInInbox(source.stub, { body: {} }, 2);
  await source.stub.current();
  await expect.poll(() => reportedBy(source)).toBe(1);
});

test("no run is lost if the rows of its events are deleted before they are reported", async () => {
  const source = await deploy(COUNTED);
  await runInDurableObject(source.stub, (_, { storage }) => storage.deleteAlarm());
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(Array.from({ length: 200 }, () => sendJson(source.url, { emits: 1 })));
    await expect.poll(() => undeliveredEvents(source.stub)).toBe(0);
  }
  expect(await storedEvents(source.stub)).toBeLessThan(400);
  await expect.poll(() => reportedBy(source)).toBe(400);
});

test("a report that a hook has scheduled reads no deleted tables", async () => {
  const warned = vi.spyOn(console, "warn");
  onTestFinished(() => {
    vi.useRealTimers();
    warned.mockRestore();
  });
  const source = await deploy(COUNTED);
  const isClosed = await runInDurableObject(source.stub, async (_, { storage }) => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const usage = new UsageTotals(storage.sql);
    const report = async () => null;
    const meter = new Meter({ kv: storage.kv, usage, identity: () => undefined, report });
    meter.count(NOTHING_USED);
    await meter.close();
    await storage.deleteAll();
    await vi.runAllTimersAsync();
    return true;
  });
  vi.useRealTimers();
  expect(isClosed).toBe(true);
  expect(JSON.stringify(warned.mock.calls)).not.toContain("usage_unreported");
});

test("the usage of a deleted source stays counted", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await runsCommitted(source.deployment.sourceId);
  await source.stub.remove();
  expect(await usageOf(source.deployment.ownerId)).toMatchObject({ invocations: 2, credits: 2 });
});

test("each day has its own count, and reported past days are removed from the source", async () => {
  const source = await deploy(COUNTED);
  const lastWeek = Date.now() - 5 * 24 * 60 * 60 * 1000;
  await sendJson(source.url, { emits: 1 });
  await runsCommitted(source.deployment.sourceId);
  await moveEvents(source.stub, lastWeek);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(1);
  const days = await env.DB.prepare("SELECT day, invocations FROM owner_usage WHERE owner_id = ?")
    .bind(source.deployment.ownerId)
    .all();
  expect(days.results).toEqual([
    { day: dayOf(lastWeek / 1000), invocations: 1 },
    { day: today(), invocations: 1 },
  ]);
  expect(await storedUsage(source.stub)).toEqual([{ day: today(), invocations: 1 }]);
});

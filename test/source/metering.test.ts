import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { dayOf } from "#domain/billing.ts";
import { newId, type OwnerId } from "#domain/ids.ts";
import { Meter } from "#durable-objects/shared/meter.ts";
import { UsageTotals } from "#durable-objects/shared/usage-totals.ts";

import { deploy, deploymentOf, eventsOf, sendJson } from "../support/deploy.ts";
import { usedOn } from "../support/usage.ts";

type Source = Awaited<ReturnType<typeof deploy>>;

/** Emits, waits or fails as its request specifies. */
const COUNTED = `export default {
  props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.waitMs) await new Promise((done) => setTimeout(done, body.waitMs));
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

/** The number of events in the inbox: a slow run on a busy machine is not committed yet. */
const waiting = ({ stub }: Source) =>
  runInDurableObject(
    stub,
    (_, { storage }) => storage.sql.exec("SELECT 1 FROM inbox").toArray().length,
  );

test("runs are counted for their owner and day, and reported within five seconds", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 1 }, { emits: 5 }, { fails: true }]) {
    await sendJson(source.url, body);
  }
  await expect.poll(() => waiting(source)).toBe(0);
  await expect.poll(() => invocationsOf(source), { timeout: 5000 }).toBe(4);
  const used = await usageOf(source.deployment.ownerId);
  expect(used.credits).toBe(4);
  expect(used.computeMs).toBeGreaterThanOrEqual(4);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => waiting(source)).toBe(0);
  await expect.poll(() => invocationsOf(source), { timeout: 5000 }).toBe(5);
});

test.for([
  ["side by side", COUNTED],
  ["in order", STATEFUL],
] as const)("compute is the time of each run, for runs %s", async ([, code]) => {
  const source = await deploy(code);
  await sendJson(source.url, {});
  await Promise.all([1, 2, 3].map(() => sendJson(source.url, { waitMs: 300, emits: 1 })));
  await expect.poll(() => reportedBy(source)).toBe(4);
  const { computeMs } = await usageOf(source.deployment.ownerId);
  expect(computeMs).toBeGreaterThanOrEqual(900);
  expect(computeMs).toBeLessThan(2000);
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
  const source = await deploy(`export default {
    props: { http: "$.interface.http" },
    hooks: { async deploy() { this.$emit(1); await new Promise((done) => setTimeout(done, 200)) }, activate() { console.log("on") } },
    run() {},
  }`);
  expect(await eventsOf(source.stub)).toHaveLength(1);
  await runDurableObjectAlarm(source.stub);
  const { computeMs, ...used } = await usageOf(source.deployment.ownerId);
  expect(used).toEqual({ invocations: 0, credits: 0 });
  expect(computeMs).toBeGreaterThanOrEqual(200);
  // Milliseconds on a busy machine, and not a timestamp.
  expect(computeMs).toBeLessThan(60_000);
  await sendJson(source.url, {});
  await expect.poll(() => reportedBy(source)).toBe(1);
  expect((await usageOf(source.deployment.ownerId)).computeMs).toBeGreaterThanOrEqual(computeMs);
});

test("counts the hooks of a failed create and of a deletion", async () => {
  const WAIT = `await new Promise((done) => setTimeout(done, 100));`;
  const doomed = (body: string) => `export default {
    hooks: { async deploy() { ${body} }, async deactivate() { ${WAIT} } },
    run() {},
  }`;
  const failing = await deploymentOf(doomed(`${WAIT} throw new Error("no")`));
  const stub = env.SOURCES.getByName(failing.sourceId);
  expect(await stub.deploy(failing)).toMatchObject({ ok: false });
  expect((await usageOf(failing.ownerId)).computeMs).toBeGreaterThanOrEqual(100);
  const deleted = await deploy(doomed(""));
  await deleted.stub.remove();
  const { computeMs } = await usageOf(deleted.deployment.ownerId);
  expect(computeMs).toBeGreaterThanOrEqual(100);
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
  await expect.poll(() => undeliveredOf(source)).toBe(0);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(4);
});

test("a report that a crash left unrecorded is not counted twice", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await expect.poll(() => reportedBy(source)).toBe(2);
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE usage SET reported = 0");
  });
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(3);
});

test("an event that runs again after a crash is one invocation", async () => {
  const source = await deploy(COUNTED);
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec(`INSERT INTO inbox (event, hops, attempts) VALUES ('{"body":{}}', 0, 2)`);
  });
  await evictDurableObject(source.stub);
  await source.stub.current();
  await expect.poll(() => reportedBy(source)).toBe(1);
});

test("no run is lost if the rows of its events are deleted before they are reported", async () => {
  const source = await deploy(COUNTED);
  await runInDurableObject(source.stub, (_, { storage }) => storage.deleteAlarm());
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(Array.from({ length: 200 }, () => sendJson(source.url, { emits: 1 })));
    await expect.poll(() => undeliveredOf(source)).toBe(0);
  }
  const { kept } = await runInDurableObject(source.stub, (_, { storage }) =>
    storage.sql.exec<{ kept: number }>("SELECT count(*) AS kept FROM events").one(),
  );
  expect(kept).toBeLessThan(400);
  await expect.poll(() => reportedBy(source)).toBe(400);
});

test("a report that a hook has scheduled reads no deleted tables", async () => {
  const warned = vi.spyOn(console, "warn");
  const source = await deploy(COUNTED);
  const isClosed = await runInDurableObject(source.stub, async (_, { storage }) => {
    const usage = new UsageTotals(storage.sql);
    const report = async () => null;
    const meter = new Meter({ kv: storage.kv, usage, identity: () => undefined, report });
    meter.count(0);
    await meter.close();
    await storage.deleteAll();
    await scheduler.wait(50);
    return true;
  });
  expect(isClosed).toBe(true);
  expect(JSON.stringify(warned.mock.calls)).not.toContain("usage_unreported");
  warned.mockRestore();
});

test("the usage of a deleted source stays counted", async () => {
  const source = await deploy(COUNTED);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await source.stub.remove();
  expect(await usageOf(source.deployment.ownerId)).toMatchObject({ invocations: 2, credits: 2 });
});

test("each day has its own count, and reported past days are removed from the source", async () => {
  const source = await deploy(COUNTED);
  const lastWeek = Date.now() - 5 * 24 * 60 * 60 * 1000;
  await sendJson(source.url, { emits: 1 });
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE events SET position = 1000 * ?", lastWeek);
  });
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
  const kept = await runInDurableObject(source.stub, (_, { storage }) =>
    storage.sql.exec("SELECT day, invocations, reported FROM usage").toArray(),
  );
  expect(kept).toEqual([{ day: today(), invocations: 1, reported: expect.any(Number) }]);
});

async function undeliveredOf({ stub }: Source) {
  return runInDurableObject(stub, (_, { storage }) => {
    const undelivered = "SELECT count(*) AS n FROM events WHERE undelivered = 1";
    return storage.sql.exec<{ n: number }>(undelivered).one().n;
  });
}

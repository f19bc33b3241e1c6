import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";

import { dayOf } from "#domain/billing.ts";
import { newId, type OwnerId } from "#domain/ids.ts";

import { deploy, deploymentOf, eventsOf, sendJson } from "../support/deploy.ts";
import { usedOn } from "../support/usage.ts";

type Source = Awaited<ReturnType<typeof deploy>>;

/** Emits, waits, fails or does nothing, as it is told. */
const TOLD = `export default {
  props: { http: "$.interface.http" },
  async run({ body }) {
    if (body.waitMs) await new Promise((done) => setTimeout(done, body.waitMs));
    for (let n = 0; n < (body.emits ?? 0); n += 1) this.$emit(n);
    if (body.fails) throw new Error("no");
  },
}`;

/** The same with state, so that runs are in order. */
const STATEFUL = TOLD.replace("props: {", `props: { db: "$.service.db",`);

const today = () => dayOf(Date.now() / 1000);

/** The counts of an owner today. */
const usageOf = (ownerId: OwnerId) => usedOn(ownerId, today());

const invocationsOf = async ({ deployment }: Source) =>
  (await usageOf(deployment.ownerId)).invocations;

/** How many runs the directory knows of once the alarm, which is soon due, has rung. */
async function reportedBy(source: Source) {
  await runDurableObjectAlarm(source.stub);
  return invocationsOf(source);
}

/** What was answered from the inbox, because its run takes long on a busy machine, is not committed yet. */
const waiting = ({ stub }: Source) =>
  runInDurableObject(
    stub,
    (_, { storage }) => storage.sql.exec("SELECT 1 FROM inbox").toArray().length,
  );

/** In how long the alarm rings that reports what is owed. */
async function untilReport(source: Source): Promise<number> {
  await expect.poll(() => waiting(source)).toBe(0);
  return runInDurableObject(source.stub, async (_, { storage }) => {
    // Without an alarm it has rung already: what it reported is counted below.
    const dueMs = await storage.getAlarm();
    return dueMs === null ? 0 : dueMs - Date.now();
  });
}

test("runs are counted for their owner and day, and told of so that all see it in five seconds", async () => {
  const source = await deploy(TOLD);
  for (const body of [{}, { emits: 1 }, { emits: 5 }, { fails: true }]) {
    await sendJson(source.url, body);
  }
  // A second is left for the telling itself.
  expect(await untilReport(source)).toBeLessThanOrEqual(4000);
  await expect.poll(() => invocationsOf(source)).toBe(4);
  const used = await usageOf(source.deployment.ownerId);
  expect(used.credits).toBe(4);
  expect(used.computeMs).toBeGreaterThanOrEqual(4);
  await sendJson(source.url, { emits: 1 });
  expect(await untilReport(source)).toBeLessThanOrEqual(4000);
  await expect.poll(() => invocationsOf(source)).toBe(5);
});

test.for([
  ["side by side", TOLD],
  ["in order", STATEFUL],
] as const)("compute is what each run took, where they run %s", async ([, code]) => {
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
] as const)("of many runs at once %s, each is counted once", async ([, body]) => {
  const sources = await Promise.all([TOLD, STATEFUL].map((code) => deploy(code)));
  await Promise.all(
    sources.flatMap(({ url }) => Array.from({ length: 300 }, () => sendJson(url, body))),
  );
  for (const source of sources) await expect.poll(() => reportedBy(source)).toBe(300);
});

test("hooks, and the emits of a hook, are compute but no invocations", async () => {
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
  // Milliseconds of a busy machine, and nothing like a point in time.
  expect(computeMs).toBeLessThan(60_000);
  await sendJson(source.url, {});
  await expect.poll(() => reportedBy(source)).toBe(1);
  expect((await usageOf(source.deployment.ownerId)).computeMs).toBeGreaterThanOrEqual(computeMs);
});

test("the hooks of a source that is not created, and of one that is deleted, are counted", async () => {
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

test("usage outlives the object's memory before it is reported", async () => {
  const source = await deploy(TOLD);
  for (const body of [{}, { emits: 3 }, { emits: 1 }]) await sendJson(source.url, body);
  await expect.poll(() => undeliveredOf(source)).toBe(0);
  await evictDurableObject(source.stub);
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(4);
});

test("a report by a process that crashed before it recorded so is not counted twice", async () => {
  const source = await deploy(TOLD);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await expect.poll(() => reportedBy(source)).toBe(2);
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec("UPDATE usage SET reported = 0");
  });
  await sendJson(source.url, { emits: 1 });
  await expect.poll(() => reportedBy(source)).toBe(3);
});

test("an event that is run again after a crash is one invocation", async () => {
  const source = await deploy(TOLD);
  await runInDurableObject(source.stub, (_, { storage }) => {
    storage.sql.exec(`INSERT INTO inbox (event, hops, attempts) VALUES ('{"body":{}}', 0, 2)`);
  });
  await evictDurableObject(source.stub);
  await source.stub.current();
  await expect.poll(() => reportedBy(source)).toBe(1);
});

test("no run is lost when the rows of its events are evicted before they are reported", async () => {
  const source = await deploy(TOLD);
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

test("the usage of a source stays counted when it is deleted", async () => {
  const source = await deploy(TOLD);
  for (const body of [{}, { emits: 3 }]) await sendJson(source.url, body);
  await source.stub.remove();
  expect(await usageOf(source.deployment.ownerId)).toMatchObject({ invocations: 2, credits: 2 });
});

test("each day has its own count, and days that are over and reported leave the source", async () => {
  const source = await deploy(TOLD);
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

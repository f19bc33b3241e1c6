import { readFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

import { expect, test } from "vitest";

import { call, deploy } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { type RunningPlatform, sandboxesOf } from "../../tools/scripts/platform.ts";
import { eventsOf, MEGABYTE, newState, samplesOf, send, started } from "../support/contained.ts";

/** Acts on the event: loops, computes without yielding, waits, allocates memory, or emits at once. */
const OBEDIENT = `const kept = [];
export default {
  name: "Obedient", version: "0.0.1", props: { http: "$.interface.http", db: "$.service.db" },
  async run({ body: { id, loop, turns = 0, waitMs = 0, bomb } }) {
    if (loop) for (;;);
    if (bomb) for (;;) kept.push(new Array(1e5).fill({ id }).map((x) => ({ ...x })));
    let sum = 0;
    for (let turn = 0; turn < turns; turn += 1) sum += Math.sqrt(turn);
    if (waitMs) await new Promise((done) => setTimeout(done, waitMs));
    this.db.set("count", (this.db.get("count") ?? 0) + 1);
    this.$emit({ id, count: this.db.get("count"), sum }, { id });
  },
};`;

const TRIED_TURNS = 2e8;

/** The number of iterations for this computing time. The component's clock stands still meanwhile. */
function turnsFor(milliseconds: number): number {
  const startedMs = performance.now();
  let sum = 0;
  for (let turn = 0; turn < TRIED_TURNS; turn += 1) sum += Math.sqrt(turn);
  if (!(sum > 0)) throw new Error("Nothing was computed");
  return Math.round((TRIED_TURNS * milliseconds) / (performance.now() - startedMs));
}

test("code with an endless loop is parked, and other sources lose nothing", async () => {
  const platform = await started();
  const bad = await deploy(platform, OBEDIENT, "bad");
  const good = await deploy(platform, OBEDIENT, "good");
  await send(good, { id: 0 });

  const sent = await send(bad, { id: 1, loop: true });
  expect(sent).toBe(200);
  const ids = Array.from({ length: 60 }, (_, index) => index + 1);
  for (const id of ids) {
    expect(await send(good, { id })).toBe(200);
    await wait(100);
  }

  const took = async () => (await eventsOf(platform, good)).map(({ id }) => id).toSorted(byNumber);
  await expect.poll(took, { timeout: 30_000 }).toEqual([0, ...ids]);
  const errors = () => eventsOf(platform, bad, "$errors");
  await expect.poll(async () => (await errors()).length, { timeout: 90_000 }).toBe(1);
  const [{ error } = {}] = await errors();
  expect(error?.message).toContain(bad.id);
  expect(error?.message).toContain("ran too long without yielding");
  // The source keeps running.
  await send(bad, { id: 2 });
  await expect.poll(async () => (await eventsOf(platform, bad)).length).toBe(1);
});

test("code that computes for longer than a process' silence limit succeeds", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "slow");
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect
    .poll(async () => (await eventsOf(platform, source)).map(({ id }) => id), { timeout: 60_000 })
    .toEqual([1]);
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
});

test("the API rejects a module that loops on evaluation, and responds meanwhile", async () => {
  const platform = await started();
  const saving = call(platform, "/components", { component_code: "for (;;);" }).catch(String);
  let slowest = 0;
  const ended = saving.then(() => true);
  while (!(await Promise.race([ended, wait(100, false)]))) {
    const startedMs = performance.now();
    await call(platform, "/users/me", undefined, "GET");
    slowest = Math.max(slowest, performance.now() - startedMs);
  }
  expect(await saving).toContain("ran too long without yielding");
  // Far below the seconds for which the module blocked its process.
  expect(slowest).toBeLessThan(2000);
  // Other code of its owner is not confined with it.
  await deploy(platform, OBEDIENT, "other");
  expect(await samplesOf(platform)).toMatchObject({
    'starts_total{process="trial"}': 1,
    'starts_total{process="confined"}': 0,
    confined: 1,
  });
});

/** A process reports at intervals, and a busy machine is slow. */
const SOON = { timeout: 20_000 };

test("a restart keeps the record of code that blocked a process, and the operator sees it", async () => {
  const kept = { stateDir: await newState(), port: await freePort() };
  const first = await started({}, kept);
  const source = await deploy(first, OBEDIENT, "slow");
  const ids = async (platform: RunningPlatform) =>
    (await eventsOf(platform, source)).map(({ id }) => id);
  expect(await send(source, { id: 0 })).toBe(200);
  await expect.poll(() => ids(first), { timeout: 60_000 }).toEqual([0]);
  const isolates = async () => (await samplesOf(first))['isolates{process="0"}'];
  await expect.poll(isolates, SOON).toBeGreaterThan(0);
  expect(await samplesOf(first)).toMatchObject({
    'starts_total{process="0"}': 1,
    confined: 0,
    'quarantined{lane="trial"}': 0,
  });
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect.poll(() => ids(first), { timeout: 60_000 }).toEqual([1, 0]);
  await expect
    .poll(() => samplesOf(first))
    .toMatchObject({
      'starts_total{process="0"}': 2,
      'ends_total{process="0",reason="silent"}': 1,
      confined: 1,
    });
  const memory = async () => (await samplesOf(first))['memory_bytes{process="0"}'];
  await expect.poll(memory, SOON).toBeGreaterThan(MEGABYTE);
  await first.stop();

  const second = await started({}, kept);
  expect(await samplesOf(second)).toMatchObject({ confined: 1 });
  expect(await send(source, { id: 2, turns: turnsFor(5000) })).toBe(200);
  await expect.poll(() => ids(second), { timeout: 60_000 }).toEqual([2, 1, 0]);
  await expect
    .poll(() => samplesOf(second))
    .toMatchObject({
      'starts_total{process="0"}': 1,
      'starts_total{process="confined"}': 1,
    });
});

test("a run in quarantine may wait for longer than its process' idle limit", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "waiting");
  const ids = async () => (await eventsOf(platform, source)).map(({ id }) => id);
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect.poll(ids, { timeout: 60_000 }).toEqual([1]);
  expect(await send(source, { id: 2, waitMs: 70_000 })).toBe(200);
  await expect.poll(ids, { timeout: 90_000, interval: 500 }).toEqual([2, 1]);
  const { ['starts_total{process="confined"}']: starts, ...others } = await samplesOf(platform);
  expect(starts).toBe(1);
  expect(others).not.toHaveProperty('ends_total{process="confined",reason="died"}');
});

test("code that allocates all memory ends its own process only", async () => {
  const platform = await started({ SANDBOX_MEMORY: "192" });
  const bad = await deploy(platform, OBEDIENT, "bomb");
  const good = await deploy(platform, OBEDIENT, "beside");
  await send(bad, { id: 1, bomb: true });
  for (let id = 1; id <= 20; id += 1) {
    expect(await send(good, { id })).toBe(200);
    await wait(100);
  }
  const eventCount = async () => (await eventsOf(platform, good)).length;
  await expect.poll(eventCount, { timeout: 30_000 }).toBe(20);
  const errors = async () => (await eventsOf(platform, bad, "$errors")).length;
  await expect.poll(errors, { timeout: 90_000 }).toBe(1);
});

test("a run in a killed process is repeated exactly once", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "killed");
  const [first] = await sandboxesOf(platform);
  expect(await readFile(`/proc/${first}/environ`, "utf8")).not.toMatch(/TOKEN|KEY|SECRET/);
  const ids = Array.from({ length: 40 }, (_, index) => index + 1);
  const sending = (async () => {
    for (const id of ids) {
      expect(await send(source, { id, waitMs: 50 })).toBe(200);
      await wait(20);
    }
  })();
  for (let kills = 0; kills < 3; kills += 1) {
    await wait(400);
    for (const pid of await sandboxesOf(platform)) process.kill(pid, "SIGKILL");
  }
  await sending;
  const got = async () => (await eventsOf(platform, source)).map(({ id }) => id).toSorted(byNumber);
  await expect.poll(got, { timeout: 60_000 }).toEqual(ids);
  // Each run was committed once, for it counts them.
  const [last] = await call<{ event: { count: number } }[]>(
    platform,
    `/sources/${source.id}/event_summaries?expand=event&limit=1`,
    undefined,
    "GET",
  );
  expect(last?.event.count).toBe(ids.length);
});

function byNumber(a = 0, b = 0): number {
  return a - b;
}

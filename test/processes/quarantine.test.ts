import { readFile } from "node:fs/promises";

import { expect, test } from "vitest";

import { deploy } from "../../tools/scripts/api.ts";
import { freePort } from "../../tools/scripts/local/ports.ts";
import { type RunningPlatform, sandboxesOf } from "../../tools/scripts/platform.ts";
import { eventsOf, MEGABYTE, newState, samplesOf, send, started } from "../support/contained.ts";
import { OBEDIENT, turnsFor } from "../support/obedient.ts";

/** The configurations of the quarantine processes of a platform with one place. */
const CONFIGS = { trial: "/2.capnp", confined: "/3.capnp" };

/** The id of a quarantine process. */
async function processOf(platform: RunningPlatform, lane: keyof typeof CONFIGS): Promise<number> {
  for (const pid of await sandboxesOf(platform))
    if ((await readFile(`/proc/${pid}/cmdline`, "utf8")).includes(CONFIGS[lane])) return pid;
  throw new Error(`No process runs code in the lane ${lane}`);
}

/** The niceness of a process. */
async function nicenessOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[16]);
}

test("a run in quarantine leaves the CPU to others, and outlives a kill from outside", async () => {
  const platform = await started();
  const [place = 0] = await sandboxesOf(platform);
  const usual = await nicenessOf(place);
  const source = await deploy(platform, OBEDIENT, "killed");
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  const starts = async () => (await samplesOf(platform))['starts_total{process="trial"}'];
  await expect.poll(starts).toBe(1);
  const trial = await processOf(platform, "trial");
  expect(await nicenessOf(trial)).toBe(Math.min(19, usual + 10));
  process.kill(trial, "SIGKILL");
  const ids = async () => (await eventsOf(platform, source)).map(({ id }) => id);
  await expect.poll(ids).toEqual([1]);
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
  expect(await samplesOf(platform)).toMatchObject({
    'starts_total{process="trial"}': 2,
    'ends_total{process="trial",reason="killed"}': 1,
  });
});

test("a restart keeps the record of code that blocked a process, and the operator sees it", async () => {
  const kept = { stateDir: await newState(), port: await freePort() };
  const first = await started({}, kept);
  const source = await deploy(first, OBEDIENT, "slow");
  const ids = async (platform: RunningPlatform) =>
    (await eventsOf(platform, source)).map(({ id }) => id);
  expect(await send(source, { id: 0 })).toBe(200);
  await expect.poll(() => ids(first)).toEqual([0]);
  const isolates = async () => (await samplesOf(first))['isolates{process="0"}'];
  await expect.poll(isolates).toBeGreaterThan(0);
  expect(await samplesOf(first)).toMatchObject({
    'starts_total{process="0"}': 1,
    confined: 0,
    'quarantined{lane="trial"}': 0,
  });
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect.poll(() => ids(first)).toEqual([1, 0]);
  await expect
    .poll(() => samplesOf(first))
    .toMatchObject({
      'starts_total{process="0"}': 2,
      'ends_total{process="0",reason="silent"}': 1,
      confined: 1,
    });
  const memory = async () => (await samplesOf(first))['memory_bytes{process="0"}'];
  await expect.poll(memory).toBeGreaterThan(MEGABYTE);
  await first.stop();

  const second = await started({}, kept);
  expect(await samplesOf(second)).toMatchObject({ confined: 1 });
  expect(await send(source, { id: 2, turns: turnsFor(5000) })).toBe(200);
  // It gets only the CPU time that others leave.
  await expect.poll(() => ids(second)).toEqual([2, 1, 0]);
  await expect
    .poll(() => samplesOf(second))
    .toMatchObject({
      'starts_total{process="0"}': 1,
      'starts_total{process="confined"}': 1,
    });
  // Its code is known to block processes.
  expect(await nicenessOf(await processOf(second, "confined"))).toBe(19);
});

test("a run in quarantine may wait for longer than its process' idle limit", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "waiting");
  const ids = async () => (await eventsOf(platform, source)).map(({ id }) => id);
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect.poll(ids).toEqual([1]);
  expect(await send(source, { id: 2, waitMs: 70_000 })).toBe(200);
  await expect.poll(ids, { interval: 500 }).toEqual([2, 1]);
  const { ['starts_total{process="confined"}']: starts, ...others } = await samplesOf(platform);
  expect(starts).toBe(1);
  expect(others).not.toHaveProperty('ends_total{process="confined",reason="died"}');
});

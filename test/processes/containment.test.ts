import { setTimeout as wait } from "node:timers/promises";

import { expect, test } from "vitest";

import { call, deploy } from "../../tools/scripts/api.ts";
import { eventsOf, samplesOf, send, started } from "../support/contained.ts";
import { byNumber, OBEDIENT, turnsFor } from "../support/obedient.ts";

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
  await expect.poll(async () => (await errors()).length, { timeout: 240_000 }).toBe(1);
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

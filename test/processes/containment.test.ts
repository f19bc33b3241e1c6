import { expect, test, vi } from "vitest";

import { call, deploy } from "../../tools/scripts/api.ts";
import { eventsOf, samplesOf, send, started } from "../support/contained.ts";
import { OBEDIENT, turnsFor } from "../support/obedient.ts";
import { POLL_TIMEOUT_MS } from "../support/timeouts.ts";

test("code with an endless loop is parked, and other sources lose nothing", async () => {
  const platform = await started();
  const bad = await deploy(platform, OBEDIENT, "bad");
  const good = await deploy(platform, OBEDIENT, "good");
  await send(good, { id: 0 });

  const sent = await send(bad, { id: 1, loop: true });
  expect(sent).toBe(200);
  const errors = () => eventsOf(platform, bad, "$errors");
  let last = 0;
  // Ten events a second: without a pause they would take the time of the code in quarantine.
  const errorsBesideEvent = async () => {
    expect(await send(good, { id: (last += 1) })).toBe(200);
    return errors();
  };
  await expect.poll(errorsBesideEvent, { interval: 100 }).toHaveLength(1);

  // Each run was committed once, for it counts them.
  const newest = async () => (await eventsOf(platform, good))[0];
  await expect.poll(newest).toMatchObject({ id: last, count: last + 1 });
  const [{ error } = {}] = await errors();
  expect(error?.message).toContain(bad.id);
  expect(error?.message).toContain("ran too long without yielding");
  const lines = (await eventsOf(platform, bad, "$logs")).map(({ message }) => message);
  for (const attempt of ["attempt 1 of 3", "attempt 2 of 3"])
    expect(lines).toContainEqual(expect.stringContaining(attempt));
  // The source keeps running.
  await send(bad, { id: 2 });
  await expect.poll(async () => (await eventsOf(platform, bad)).length).toBe(1);
});

test("code that computes for longer than a process' silence limit succeeds", async () => {
  const platform = await started();
  const source = await deploy(platform, OBEDIENT, "slow");
  expect(await send(source, { id: 1, turns: turnsFor(5000) })).toBe(200);
  await expect
    .poll(async () => (await eventsOf(platform, source)).map(({ id }) => id))
    .toEqual([1]);
  expect(await eventsOf(platform, source, "$errors")).toEqual([]);
});

test("the API rejects a module that loops on evaluation, and responds meanwhile", async () => {
  const platform = await started();
  const saving = call(platform, "/components", { component_code: "for (;;);" }).catch(String);
  const state = { isOver: false, responses: 0 };
  void saving.then(() => (state.isOver = true));
  const isOverAfterResponse = async () => {
    await call(platform, "/users/me", undefined, "GET");
    state.responses += 1;
    return state.isOver;
  };
  await vi.waitUntil(isOverAfterResponse, { timeout: POLL_TIMEOUT_MS, interval: 100 });
  expect(await saving).toContain("ran too long without yielding");
  // Of an API that the module blocks, one response would come before the end.
  expect(state.responses).toBeGreaterThan(5);
  // Other code of its owner is not confined with it.
  await deploy(platform, OBEDIENT, "other");
  expect(await samplesOf(platform)).toMatchObject({
    'starts_total{process="trial"}': 1,
    'starts_total{process="confined"}': 0,
    confined: 1,
  });
});

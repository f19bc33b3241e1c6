// @suites loader

import { expect, onTestFinished, test, vi } from "vitest";

import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { RanTooLong, SandboxDied } from "#domain/sandbox-loss.ts";
import { Silence } from "#domain/silence.ts";

import { later } from "../support/clock.ts";
import { FakeProcess, opened, quick, suspect } from "../support/quarantine.ts";

/** Returns the silences, in milliseconds, that watches of processes have seen since. */
function looked(): () => number[] {
  const look = vi.spyOn(Silence.prototype, "look");
  onTestFinished(() => look.mockRestore());
  return () => look.mock.results.map(({ value }) => Number(value));
}

test("many calls that were lost without a cause pass at once", async () => {
  // No call looks again by itself: each waits for an event.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { quarantine, confined } = opened();
  const room = new FakeProcess().room("trial");
  const startedMs = Date.now();
  const calls = Array.from({ length: 300 }, (_, index) =>
    quarantine.run(suspect({ key: `dc_${index}`, startedMs: startedMs + index }), room, quick),
  );
  const ended = await Promise.all(calls);
  expect(new Set(ended.map((trial) => JSON.stringify(trial)))).toEqual(
    new Set([JSON.stringify({ result: "done" })]),
  );
  expect(confined).toEqual([]);
  expect(quarantine.load("trial")).toBe(0);
});

test("an expired call leaves the queue without running", async () => {
  const { quarantine } = opened();
  const process = new FakeProcess();
  const room = process.room("confined");
  const first = quarantine.run(suspect({ place: undefined }), room, process.endless);
  first.catch(() => {});
  const late = suspect({ key: "dc_2", place: undefined, expiresMs: Date.now() + 600 });
  const call = vi.fn<typeof quick>(quick);
  const waiting = quarantine.run(late, room, call);
  await expect(waiting).rejects.toBeInstanceOf(IsolateTimeout);
  await expect(quarantine.settled("dc_1", Date.now() + 100)).resolves.toBeUndefined();
  expect(call).not.toHaveBeenCalled();
  expect(quarantine.load("confined")).toBe(1);
  process.die();
  await expect(first).rejects.toBeInstanceOf(SandboxDied);
});

test("a machine that slept for hours does not blame a waiting call", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const ended = Promise.withResolvers<string>();
  const trial = quarantine.run(suspect(), process.room("trial"), () => ended.promise);
  const looks = looked();
  await expect.poll(() => process.pings).toBeGreaterThan(1);
  // The response is in transit when the clock jumps.
  process.holdUp();
  await later(8 * 3_600_000, async () => {
    const before = looks().length;
    await expect.poll(() => looks().length).toBeGreaterThan(before + 2);
    const pings = process.pings;
    process.goOn();
    await expect.poll(() => process.pings).toBeGreaterThan(pings);
    ended.resolve("done");
    expect(await trial).toEqual({ result: "done" });
  });
  expect([process.killed, confined]).toEqual([[], []]);
});

test("a call is not to blame for a process that does not start", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  process.failingStarts = 2;
  expect(await quarantine.run(suspect(), process.room("trial"), quick)).toEqual({ result: "done" });
  expect([process.starts.length, confined]).toEqual([3, []]);
});

test("a target that blocks its process is confined while others wait for a trial", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const looping = quarantine.run(suspect(), process.room("trial"), process.looping);
  await expect.poll(() => process.starts).toEqual(["trial"]);
  // It was lost with another process, so that the confinement does not release it.
  const other = suspect({ key: "dc_2", owner: "u_2", place: 1 });
  const waiting = quarantine.run(other, process.room("trial"), quick);
  expect(await looping).toBe("released");
  expect(await waiting).toEqual({ result: "done" });
  expect([process.killed, confined]).toEqual([["trial"], ["dc_1"]]);
  const alone = suspect({ place: undefined, cpuMs: 2500 });
  const again = quarantine.run(alone, process.room("confined"), process.looping);
  await expect(again).rejects.toBeInstanceOf(RanTooLong);
});

test("a process that gets little CPU time is not killed for the time that passes", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  process.share = 0.25;
  const looks = looked();
  const slow = quarantine.run(suspect({ cpuMs: 2500 }), process.room("trial"), process.looping);
  // One that computes all the time would have been killed by then.
  await expect.poll(() => looks().at(-1)).toBeGreaterThan(4000);
  expect([process.killed, confined]).toEqual([[], []]);
  process.share = 3;
  await expect(slow).rejects.toBeInstanceOf(RanTooLong);
  expect(confined).toContain("dc_1");
});

test("a call whose process is killed from outside runs again, but not for ever", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  process.loss = "killed";
  let calls = 0;
  const killing = async (kills: number): Promise<string> => {
    if ((calls += 1) > kills) return "done";
    const call = process.endless();
    process.die();
    return call;
  };
  const twice = quarantine.run(suspect(), process.room("trial"), () => killing(2));
  expect(await twice).toEqual({ result: "done" });
  expect([calls, confined]).toEqual([3, []]);
  calls = 0;
  const always = quarantine.run(suspect(), process.room("trial"), () => killing(Infinity));
  await expect(always).rejects.toBeInstanceOf(SandboxDied);
  expect([calls, confined]).toEqual([3, ["dc_1"]]);
});

test("counts an owner's confined calls of code without a source", async () => {
  const { quarantine } = opened();
  const process = new FakeProcess();
  const room = process.room("confined");
  const keys = ["u_1/a", "u_1/b", "u_1/dc_1", "u_1/p_1", "u_2/a"];
  const calls = keys.map((key) =>
    quarantine.run(
      suspect({ key, owner: key.slice(0, 3), place: undefined }),
      room,
      process.endless,
    ),
  );
  const counts = () => ["u_1", "u_2", "u"].map((owner) => quarantine.evaluations(owner));
  expect(counts()).toEqual([2, 1, 0]);
  // Calls of the same code wait beside the line.
  const waiting = quarantine.settled("u_1/a", Date.now() + 60_000);
  expect(counts()).toEqual([3, 1, 0]);
  // Each begins once the one before has died.
  const dying = setInterval(() => process.die(), 20);
  await Promise.allSettled(calls);
  clearInterval(dying);
  await waiting;
  expect(quarantine.evaluations("u_1")).toBe(0);
});

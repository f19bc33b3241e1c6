// @suites loader

import { AsyncLocalStorage } from "node:async_hooks";

import { expect, onTestFinished, test, vi } from "vitest";

import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { RanTooLong } from "#domain/sandbox-loss.ts";

import { FakeProcess, opened, quick, suspect } from "../support/quarantine.ts";

/** Callers that end without notice: nothing that they wait for by a timer or a request goes on. */
function goneCallers() {
  const callers = new AsyncLocalStorage<{ isGone: boolean }>();
  const caller = { isGone: false };
  const wait = scheduler.wait.bind(scheduler);
  const waits = vi.spyOn(scheduler, "wait").mockImplementation(async (ms) => {
    await wait(ms);
    if (callers.getStore()?.isGone) await new Promise(() => {});
  });
  onTestFinished(() => waits.mockRestore());
  return {
    run: <T>(work: () => T) => callers.run(caller, work),
    end: () => void (caller.isGone = true),
  };
}

test("a call whose process ends without notice runs again, and delays no other", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  process.loss = "killed";
  process.isConnected = false;
  let calls = 0;
  const silenced = async () => {
    if ((calls += 1) > 1) return "done";
    const call = process.looping();
    process.die();
    return call;
  };
  const first = quarantine.run(suspect(), process.room("trial"), silenced);
  const next = quarantine.run(suspect({ key: "dc_2" }), process.room("trial"), quick);
  await expect.poll(() => calls).toBe(2);
  process.goOn();
  expect(await Promise.all([first, next])).toEqual([{ result: "done" }, { result: "done" }]);
  expect([confined, quarantine.load("trial")]).toEqual([[], 0]);
});

test("a call that never ends leaves the line when nobody waits for it, with its process", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  process.isConnected = false;
  const expiring = suspect({ expiresMs: Date.now() + 800 });
  const lost = quarantine.run(expiring, process.room("trial"), process.endless);
  await expect.poll(() => process.pings).toBeGreaterThan(0);
  const next = quarantine.run(suspect({ key: "dc_2" }), process.room("trial"), quick);
  await expect(lost).rejects.toBeInstanceOf(IsolateTimeout);
  expect(await next).toEqual({ result: "done" });
  expect([process.killed, confined, quarantine.load("trial")]).toEqual([["trial"], [], 0]);
});

/** A call that blocks its process and whose caller is gone: it learns nothing. */
function blocking(process: FakeProcess) {
  return vi.fn<() => Promise<never>>(() => {
    process.holdUp();
    return new Promise(() => {});
  });
}

test("a running call whose caller is gone leaves the line, with its process", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const callers = goneCallers();
  const call = blocking(process);
  void callers.run(() => quarantine.run(suspect({ key: "dc_2" }), process.room("trial"), call));
  await expect.poll(() => call.mock.calls.length).toBe(1);
  callers.end();
  const settled = quarantine.settled("dc_2", Date.now() + 60_000);
  const next = quarantine.run(suspect({ key: "dc_3" }), process.room("trial"), quick);
  expect(await next).toEqual({ result: "done" });
  await settled;
  expect([process.killed, confined, quarantine.load("trial")]).toEqual([["trial"], [], 0]);
});

test("a waiting call whose caller is gone leaves the line", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const callers = goneCallers();
  const room = process.room("trial");
  const ended = Promise.withResolvers<string>();
  const first = quarantine.run(suspect(), room, () => ended.promise);
  const gone = suspect({ key: "dc_2", startedMs: Date.now() + 1 });
  void callers.run(() => quarantine.run(gone, room, blocking(process)));
  callers.end();
  ended.resolve("done");
  const next = suspect({ key: "dc_3", startedMs: Date.now() + 2 });
  const trials = [first, quarantine.run(next, room, quick)];
  expect(await Promise.all(trials)).toEqual([{ result: "done" }, { result: "done" }]);
  expect([quarantine.load("trial"), confined]).toEqual([0, []]);
});

test("suspects of the caught call's owner are not released with the others", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const room = process.room("trial");
  const startedMs = Date.now();
  const calls = ["u_1/dc_1", "u_1/dc_2", "u_2/dc_3"].map((key, at) =>
    suspect({ key, startedMs: startedMs + at }),
  );
  const order: string[] = [];
  const [caught, second, bystander] = calls.map(async (call, at) => {
    const trial = await quarantine.run(call, room, at === 0 ? process.looping : quick);
    order.push(call.key);
    return trial;
  });
  expect(await bystander).toBe("released");
  const later = ["u_1/dc_9", "u_2/dc_9"].map(async (key) => {
    await quarantine.settled(key, startedMs + 60_000);
    order.push(key);
  });
  expect([await caught, await second]).toEqual(["released", { result: "done" }]);
  await Promise.all(later);
  expect(order).toEqual(["u_2/dc_3", "u_2/dc_9", "u_1/dc_1", "u_1/dc_2", "u_1/dc_9"]);
  expect([confined, quarantine.load("trial")]).toEqual([["u_1/dc_1"], 0]);
});

test("later calls of code that yielded before it blocked its process wait until it is found", async () => {
  const { quarantine, confined } = opened();
  const process = new FakeProcess();
  const room = process.room("trial");
  const startedMs = Date.now();
  let calls = 0;
  const besideIt = Promise.withResolvers<void>();
  // It looks innocent until the next call runs beside it.
  const waiting = async () => {
    calls += 1;
    await besideIt.promise;
    return process.looping();
  };
  const cause = suspect({ key: "u_1/dc_1", startedMs, cpuMs: 2500 });
  const looping = quarantine.run(cause, room, waiting);
  const beside = suspect({ key: "u_2/dc_2", startedMs: startedMs + 1 });
  const bystander = quarantine.run(beside, room, () => {
    besideIt.resolve();
    return process.endless();
  });
  await besideIt.promise;
  // Long enough to suspect it, too short to end its process.
  const besideMs = Date.now();
  await expect.poll(() => Date.now() - besideMs).toBeGreaterThan(1000);
  expect(process.killed).toEqual([]);
  const settled = quarantine.settled("u_1/dc_1", startedMs + 60_000);
  const isSettled = vi.fn<() => void>();
  void settled.then(isSettled);
  await expect.poll(() => process.killed).toEqual(["trial"]);
  expect(isSettled).not.toHaveBeenCalled();
  expect(await bystander).toBe("released");
  expect(isSettled).not.toHaveBeenCalled();
  await expect(looping).rejects.toBeInstanceOf(RanTooLong);
  await settled;
  expect([calls, new Set(confined)]).toEqual([2, new Set(["u_1/dc_1"])]);
});

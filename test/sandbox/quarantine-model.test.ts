// @suites loader

import { expect, onTestFinished, test, vi } from "vitest";

import { type Lane, LANES } from "#sandbox/processes/contract.ts";

import {
  asCaller,
  type Behaviour,
  confining,
  LaneModel,
  randomBy,
  runAs,
} from "../support/lane-model.ts";

const SEEDS = Array.from({ length: 12 }, (_, index) => index + 1);
const CALLS = 40;
const OWNERS = 4;
const SOURCES = 3;
const DEADLINE_MS = 30_000;

/** The calls' time, after which nothing fails any more, */
const TURBULENT_MS = 60_000;

/** and the time in which every call has ended or expired. */
const SETTLED_MS = 120_000;
const STEP_MS = 500;

/** Move timers to a clock that the test advances. */
function virtualTime(): (ms: number) => Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  const waits = vi.spyOn(scheduler, "wait").mockImplementation((ms) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(() => resolve(), ms);
    return asCaller(promise);
  });
  onTestFinished(() => {
    waits.mockRestore();
    vi.useRealTimers();
  });
  return async (ms) => void (await vi.advanceTimersByTimeAsync(ms));
}

/** The calls of several owners' sources in both lanes. */
function model(seed: number) {
  const random = randomBy(seed);
  const upTo = (count: number) => Math.floor(random() * count);
  const { quarantine, confined } = confining();
  const lanes = {
    trial: new LaneModel("trial", random),
    confined: new LaneModel("confined", random),
  };
  const callers: { isGone: boolean; ended: Promise<unknown> }[] = [];
  const behaviour = (): Behaviour => {
    const kind = (["ends", "ends", "loops", "hangs"] as const)[upTo(4)] ?? "ends";
    return { kind, afterMs: upTo(3) === 0 ? 0 : upTo(5000) };
  };
  const call = async (key: string, does: Behaviour, last?: Lane): Promise<unknown> => {
    const startedMs = Date.now();
    const expiresMs = startedMs + DEADLINE_MS;
    const owner = key.split("/")[0] ?? "";
    await quarantine.settled(key, expiresMs);
    const lane = last ?? (confined.has(key) ? "confined" : "trial");
    // The cause of another place's loss releases no last call.
    const place = lane === "trial" ? (last ? 2 : upTo(2)) : undefined;
    const suspect = { key, owner, place, startedMs, expiresMs, cpuMs: 10_000 };
    return quarantine.run(suspect, lanes[lane].room(), () => lanes[lane].call(does));
  };
  const key = () => `u_${upTo(OWNERS)}/dc_${upTo(SOURCES)}`;
  const begin = (): void => {
    const caller = { isGone: false };
    const ended = runAs(caller, () => call(key(), behaviour())).catch(String);
    callers.push(Object.assign(caller, { ended }));
  };
  /** The ends of the calls whose callers still run. */
  const alive = () => callers.map(({ ended }) => ended);
  /** A process ends, a client hangs up, an object with its calls is deleted, or another call begins. */
  const disturb = (): void => {
    const at = upTo(4);
    if (at === 0) lanes[upTo(2) === 0 ? "trial" : "confined"].lose();
    if (at === 1) for (const one of callers.splice(upTo(callers.length), 1)) one.isGone = true;
    if (at === 2) for (const one of callers.splice(upTo(callers.length), 3)) one.isGone = true;
    if (at === 3) begin();
  };
  return { quarantine, lanes, begin, disturb, call, alive };
}

test.for(SEEDS)(
  "lanes drain after losses, deletions, hang-ups and restarts, seed %i",
  async (seed) => {
    const advance = virtualTime();
    const { quarantine, lanes, begin, disturb, call, alive } = model(seed);
    for (let count = 0; count < CALLS; count += 1) begin();
    for (let ms = 0; ms < TURBULENT_MS; ms += STEP_MS) {
      disturb();
      await advance(STEP_MS);
    }
    for (const lane of Object.values(lanes)) lane.isSound = true;
    const last = LANES.map((lane) => call("u_last/dc_last", { kind: "ends", afterMs: 0 }, lane));
    for (let ms = 0; ms < SETTLED_MS; ms += STEP_MS) {
      await advance(STEP_MS);
      // As for the metrics.
      for (const lane of LANES) quarantine.load(lane);
    }
    expect(await Promise.all(last)).toEqual([{ result: "done" }, { result: "done" }]);
    await Promise.all(alive());
    expect(LANES.map((lane) => quarantine.load(lane))).toEqual([0, 0]);
    expect([lanes.trial.late, lanes.confined.late]).toEqual([0, 0]);
  },
);

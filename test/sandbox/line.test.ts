// @suites loader

import { expect, test, vi } from "vitest";

import { Line } from "#sandbox/processes/line.ts";
import { SuspectEntry } from "#sandbox/processes/suspect.ts";

import { suspect } from "../support/quarantine.ts";

const PROCESS = 1;

/** Two calls that run beside each other in a process. */
async function running() {
  const line = new Line<SuspectEntry>(() => {});
  const startedMs = Date.now();
  const first = new SuspectEntry(suspect({ key: "u_1/dc_1", startedMs }), false);
  const second = new SuspectEntry(suspect({ key: "u_2/dc_2", startedMs: startedMs + 1 }), false);
  for (const entry of [first, second]) {
    expect([await line.turn(entry), line.begin(entry, PROCESS)]).toEqual([true, true]);
    line.yielded(entry);
  }
  return { line, first, second };
}

/** The same, lost with their process. The later one learned first that it has ended. */
async function lost() {
  const { line, first, second } = await running();
  expect(line.lose(second, PROCESS)).toBe(true);
  line.retryAlone(second);
  const begun = vi.fn<() => void>();
  const turn = line.turn(second).then(begun);
  // Its turn would come within these microtasks.
  for (let at = 0; at < 10; at += 1) await Promise.resolve();
  expect(begun).not.toHaveBeenCalled();
  return { line, first, turn, begun };
}

test("of calls that were lost together, the earlier is repeated first", async () => {
  const { line, first, turn, begun } = await lost();
  line.retryAlone(first);
  expect(await line.turn(first)).toBe(true);
  expect(begun).not.toHaveBeenCalled();
  line.delete(first);
  await turn;
});

test("of calls that were lost together, the later is repeated once the earlier has ended", async () => {
  const { line, first, turn } = await lost();
  line.delete(first);
  await expect(turn).resolves.toBeUndefined();
});

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

test.for([true, false])(
  "of calls that were lost together, the later waits for the earlier, which repeats: %s",
  async (repeats) => {
    const { line, first, second } = await running();
    // The later call learns of the loss before the earlier one.
    expect(line.lose(second, PROCESS)).toBe(true);
    line.retryAlone(second);
    const begun = vi.fn<() => void>();
    const turn = line.turn(second).then(begun);
    // Its turn would come within these microtasks.
    for (let at = 0; at < 10; at += 1) await Promise.resolve();
    expect(begun).not.toHaveBeenCalled();
    if (repeats) {
      line.retryAlone(first);
      expect(await line.turn(first)).toBe(true);
      expect(begun).not.toHaveBeenCalled();
    }
    line.delete(first);
    await turn;
  },
);

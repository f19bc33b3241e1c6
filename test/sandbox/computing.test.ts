import { expect, test } from "vitest";

import { Computing } from "#sandbox/processes/computing.ts";

/** Read the computing time at each silence, with this CPU time at each reading. */
async function readings(
  silences: readonly number[],
  cpuTimes: readonly (number | undefined)[],
): Promise<number[]> {
  let reads = 0;
  const computing = new Computing(async () => cpuTimes[reads++]);
  const all: number[] = [];
  for (const silentMs of silences) {
    all.push(computing.during(silentMs));
    // A reading settles within these microtasks.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  }
  return all;
}

test("counts the CPU time of a silence, not its duration", async () => {
  const silences = [100, 300, 400, 1000, 1100, 2000];
  const cpuTimes = [5000, 5050, 5300, 5400];
  expect(await readings(silences, cpuTimes)).toEqual([100, 200, 300, 350, 600, 700]);
});

test("counts no more than the silence, though several threads compute", async () => {
  expect(await readings([300, 500, 700], [0, 1000, 2000])).toEqual([200, 300, 700]);
});

test("counts a tenth of the silence of a process that gets no CPU time at all", async () => {
  expect(await readings([300, 10_000, 20_000], [7, 7, 7])).toEqual([200, 1000, 2000]);
});

test("counts the silence itself if the system does not report CPU time", async () => {
  expect(await readings([300, 500, 900], [undefined, undefined])).toEqual([200, 500, 900]);
});

test("begins again after a response", async () => {
  expect(await readings([300, 600, 20, 300, 600], [0, 100, 900, 950])).toEqual([
    200, 300, 20, 200, 300,
  ]);
});

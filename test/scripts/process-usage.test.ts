import { expect, test } from "vitest";

import {
  cpuTimeOf,
  memoryOf,
  millisecondsIn,
  reportOf,
} from "../../tools/scripts/local/process-usage.ts";

/** No process has this id: it is above the system's maximum. */
const NOBODY = 2 ** 30;

test("reads the CPU time and the memory of a process", async () => {
  const ownMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  const before = ownMs();
  const used = (await cpuTimeOf(process.pid)) ?? 0;
  expect(used).toBeGreaterThan(0);
  // The system counts in ticks of 10 ms, of each kind.
  const order = [before - 20, used, ownMs() + 20];
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  const ratio = ((await memoryOf(process.pid)) ?? 0) / process.memoryUsage.rss();
  expect(ratio).toBeGreaterThan(0.5);
  expect(ratio).toBeLessThan(2);
});

test("knows nothing about a process that has ended", async () => {
  expect(await cpuTimeOf(NOBODY)).toBeUndefined();
  expect(await memoryOf(NOBODY)).toBeUndefined();
});

test("understands the report of ps, for systems without process files", async () => {
  expect(Number(await reportOf(process.pid, "rss"))).toBeGreaterThan(1000);
  expect(millisecondsIn(await reportOf(process.pid, "time"))).toBeGreaterThanOrEqual(0);
  expect(await reportOf(NOBODY, "time")).toBe("");
});

test.each([
  ["0:01.23", 1230],
  ["12:34.50", 754_500],
  ["00:01:02", 62_000],
  ["01:02:03", 3_723_000],
  ["2-01:02:03", 176_523_000],
  ["", undefined],
  ["-", undefined],
])("%j of ps is %j milliseconds", (text, expected) => {
  expect(millisecondsIn(text)).toBe(expected);
});

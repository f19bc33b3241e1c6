import { expect, test } from "vitest";

import { judge, type Minute } from "../../tools/soak/thresholds.ts";

const FLAT: Minute = {
  events: 1200,
  deliveries: 1000,
  memoryMb: 700,
  descriptors: 130,
  diskKb: 5000,
};

/** Ten minutes, of which the last differs. */
function minutes(last: Partial<Minute>): Minute[] {
  return [...Array.from({ length: 9 }, () => FLAT), { ...FLAT, ...last }];
}

test.for([
  ["is flat", {}, []],
  ["frees memory", { memoryMb: 680, descriptors: 120, diskKb: 100 }, []],
  ["grows by 14 % of memory", { memoryMb: 800 }, ["Memory is ±6.7 %"]],
  ["has 22 more descriptors", { descriptors: 152 }, ["Descriptors are ±11"]],
  ["has 2.4 MB more on disk", { diskKb: 7400 }, ["A delivery leaves 0.60 KB on disk"]],
] as const)("a soak that %s is judged so", ([, last, faults]) => {
  expect(judge(minutes(last))).toEqual(faults);
});

test("growth in the first half passes, and a soak without deliveries fails", () => {
  expect(judge([{ ...FLAT, memoryMb: 100, descriptors: 9 }, ...minutes({})])).toEqual([]);
  expect(judge(minutes({}).map((minute) => ({ ...minute, deliveries: 0 })))).toHaveLength(1);
});

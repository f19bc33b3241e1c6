import { expect, test } from "vitest";

import {
  budgetOf,
  divide,
  forError,
  forSteps,
  leftFor,
  nextShare,
  MAX_RUNS_PER_TRIGGER,
  shareOf,
} from "#domain/chains.ts";

test.for([
  [null, MAX_RUNS_PER_TRIGGER],
  ["", MAX_RUNS_PER_TRIGGER],
  ["-1", MAX_RUNS_PER_TRIGGER],
  ["99999", MAX_RUNS_PER_TRIGGER],
  ["0", 0],
  ["12", 12],
] as const)("the header %s allows %s runs", ([header, budget]) => {
  expect(budgetOf(header)).toBe(budget);
});

test.for([
  [undefined, undefined, MAX_RUNS_PER_TRIGGER - 1],
  [1, 0, 0],
  [10, 4, 5],
  [10, 40, 0],
] as const)("a run with a budget of %s that spent %s leaves %s", ([budget, spent, left]) => {
  expect(leftFor(budget, spent)).toBe(left);
});

test.for([
  [10, 3],
  [2, 5],
  [0, 4],
  [9999, 1],
] as const)("shares of %s for %s children add up to it", ([budget, children]) => {
  const shares = Array.from({ length: children }, (_, index) => shareOf(budget, children, index));
  expect(shares.reduce((sum, share) => sum + share)).toBe(budget);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
});

test("each child of a call has a smaller share, at the end none", () => {
  const shares: number[] = [];
  for (let left = 70; left > 0; left -= shares.at(-1) ?? 0)
    shares.push(nextShare(left, shares.length));
  expect(shares).toEqual([35, 8, 3, 1, ...Array.from({ length: 23 }, () => 1)]);
  expect(nextShare(0, 0)).toBe(0);
});

test.for([
  [100, { emits: 3, errors: 0, lines: 0 }, { emits: 100, errors: 0, lines: 0 }],
  [100, { emits: 3, errors: 1, lines: 9 }, { emits: 76, errors: 12, lines: 12 }],
  [1, { emits: 0, errors: 1, lines: 1 }, { emits: 0, errors: 1, lines: 0 }],
  [2, { emits: 5, errors: 1, lines: 1 }, { emits: 1, errors: 1, lines: 0 }],
  [7, { emits: 0, errors: 0, lines: 2 }, { emits: 0, errors: 0, lines: 7 }],
  [0, { emits: 5, errors: 1, lines: 1 }, { emits: 0, errors: 0, lines: 0 }],
] as const)("divides a budget of %s among %o", ([budget, counts, budgets]) => {
  expect(divide(budget, counts)).toEqual(budgets);
});

test.for([1, 2, 3, 9, 65, 1000, MAX_RUNS_PER_TRIGGER])(
  "the steps of a run with a budget of %s leave a share for its error",
  (budget) => {
    expect(forSteps(budget) + forError(budget)).toBeLessThanOrEqual(budget - 1);
    expect(forError(budget)).toBeGreaterThanOrEqual(budget > 1 ? 1 : 0);
  },
);

import { expect, test } from "vitest";

import { Silence } from "#domain/silence.ts";

test("adds up the silence between checks until an answer", () => {
  const silence = new Silence(1000, 250);
  expect([1100, 1200, 1300].map((nowMs) => silence.look(nowMs))).toEqual([100, 200, 300]);
  silence.answered();
  expect(silence.look(1400)).toBe(100);
});

test("a sleeping machine and a clock change do not count as silence", () => {
  const silence = new Silence(1000, 250);
  silence.look(1100);
  expect(silence.look(1100 + 8 * 3_600_000)).toBe(350);
  expect(silence.look(1200)).toBe(350);
  expect(silence.look(1300)).toBe(450);
});

import { expect, test } from "vitest";

import { Admission } from "#bundler/admission.ts";

const LIMITS = { limit: 10, small: 1, stayMs: 1000 };

test("admits work that fits, and more after earlier work leaves", () => {
  const admission = new Admission(LIMITS);
  const leave = admission.enter("a", 6);
  admission.enter("b", 4);
  expect(admission.enter("c", 2)).toBeUndefined();
  leave?.();
  expect(admission.enter("c", 6)).toBeDefined();
});

test("admits work above the limit only by itself", () => {
  const admission = new Admission(LIMITS);
  const leave = admission.enter("a", 11);
  expect(admission.enter("b", 2)).toBeUndefined();
  leave?.();
  expect(admission.enter("b", 11)).toBeDefined();
});

test("one client gets at most three quarters of the capacity, in few pieces or in many", () => {
  for (const size of [2, 3, 5]) {
    const admission = new Admission(LIMITS);
    let inside = 0;
    while (admission.enter("eve", size)) inside += size;
    expect(inside).toBeGreaterThan(7.5 - size);
    expect(inside).toBeLessThanOrEqual(7.5);
    expect(admission.enter("ada", 2.5)).toBeDefined();
  }
});

test("a client with work above its share may have nothing else admitted", () => {
  const admission = new Admission(LIMITS);
  const leave = admission.enter("a", 8);
  expect(leave).toBeDefined();
  expect(admission.enter("a", 1)).toBeUndefined();
  expect(admission.enter("b", 2)).toBeDefined();
  leave?.();
  expect(admission.enter("a", 1)).toBeDefined();
});

test("a client without admitted work is admitted with a small piece at any load", () => {
  const admission = new Admission(LIMITS);
  for (const client of ["a", "b"]) admission.enter(client, 5);
  const leave = admission.enter("c", 1);
  expect(leave).toBeDefined();
  expect(admission.enter("c", 1)).toBeUndefined();
  leave?.();
  expect(admission.enter("c", 1)).toBeDefined();
  expect(admission.enter("d", 2)).toBeUndefined();
});

test("discards work that never leaves", () => {
  let now = 0;
  const admission = new Admission({ ...LIMITS, now: () => now });
  admission.enter("a", 10);
  expect(admission.enter("b", 2)).toBeUndefined();
  now = 1000;
  expect(admission.enter("b", 10)).toBeDefined();
});

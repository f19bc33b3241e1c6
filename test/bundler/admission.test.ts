import { expect, test } from "vitest";

import { Admission } from "#bundler/admission.ts";

test("lets in what fits, and more once something has left", () => {
  const admission = new Admission({ limit: 10, stayMs: 1000 });
  const leave = admission.enter(6);
  admission.enter(4);
  expect(admission.enter(1)).toBeUndefined();
  leave?.();
  expect(admission.enter(6)).toBeDefined();
});

test("lets in alone what is larger than the limit", () => {
  const admission = new Admission({ limit: 10, stayMs: 1000 });
  const leave = admission.enter(11);
  expect(admission.enter(1)).toBeUndefined();
  leave?.();
  expect(admission.enter(11)).toBeDefined();
});

test("forgets what never leaves", () => {
  let now = 0;
  const admission = new Admission({ limit: 10, stayMs: 1000, now: () => now });
  admission.enter(10);
  expect(admission.enter(1)).toBeUndefined();
  now = 1000;
  expect(admission.enter(10)).toBeDefined();
});

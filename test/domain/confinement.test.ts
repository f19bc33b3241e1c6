import { expect, test } from "vitest";

import { codeKey, Confinement, isUnsaved, subjectOf } from "#domain/confinement.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

test("code is confined for a day", () => {
  const confinement = new Confinement();
  confinement.confine("dc_1", 1000);
  expect(confinement.isConfined("dc_1", 1000 + DAY_MS - 1)).toBe(true);
  expect(confinement.isConfined("dc_1", 1000 + DAY_MS)).toBe(false);
  expect(confinement.isConfined("dc_2", 1000)).toBe(false);
  expect(confinement.entries(1000 + DAY_MS)).toEqual({});
});

test("a key names its source or workflow, or code without either", () => {
  const keys = ["dc_1", "p_1", "hash"].map((subject) => codeKey("u_1", subject));
  expect(keys.map(subjectOf)).toEqual(["dc_1", "p_1", "hash"]);
  expect(keys.map(isUnsaved)).toEqual([false, false, true]);
});

test("restored targets stay confined until their time ends", () => {
  const before = new Confinement();
  before.confine("dc_1", 1000);
  const after = new Confinement(before.entries(2000));
  expect(after.isConfined("dc_1", 999 + DAY_MS)).toBe(true);
  expect(after.isConfined("dc_1", 1000 + DAY_MS)).toBe(false);
});

test("after three pieces of code within a day, all code of their owner is confined", () => {
  const confinement = new Confinement();
  confinement.confine(codeKey("u_1", "dc_1"), 1 - DAY_MS);
  confinement.confine(codeKey("u_1", "a"), 1);
  confinement.confine(codeKey("u_1", "dc_2"), 2);
  expect(confinement.isConfined(codeKey("u_1", "a"), 3)).toBe(true);
  expect(confinement.isConfined(codeKey("u_1", "c"), 3)).toBe(false);
  expect(confinement.isConfined(codeKey("u_2", "a"), 3)).toBe(false);
  confinement.confine(codeKey("u_1", "p_3"), 3);
  expect(confinement.isConfined(codeKey("u_1", "dc_4"), 4)).toBe(true);
  expect(confinement.isConfined(codeKey("u_1", "d"), 4)).toBe(true);
  expect(confinement.isConfined(codeKey("u_1", "d"), 3 + DAY_MS)).toBe(false);
  expect(confinement.isConfined(codeKey("u_2", "a"), 4)).toBe(false);
});

test("keeps at most 10,000 keys", () => {
  const confinement = new Confinement();
  for (let index = 0; index < 10_002; index += 1) confinement.confine(`dc_${index}`, index);
  const keys = Object.keys(confinement.entries(10_002));
  expect([keys.length, keys[0]]).toEqual([10_000, "dc_2"]);
});

import { expect, test } from "vitest";

import { isOneTypoApart, spellingsOf } from "#domain/spelling.ts";

test.for([
  ["slack", "slak"],
  ["slack", "slaack"],
  ["slack", "slock"],
  ["slack", "salck"],
  ["slack", "lack"],
  ["slack", "slackk"],
  ["slack", "slack"],
] as const)("%s and %s are one typo apart, and share a spelling", ([one, other]) => {
  expect([isOneTypoApart(one, other), isOneTypoApart(other, one)]).toEqual([true, true]);
  const spellings = new Set(spellingsOf(one));
  expect(spellingsOf(other).some((spelling) => spellings.has(spelling))).toBe(true);
});

test.for([
  ["slack", "lcask"],
  ["slack", "sla"],
  ["form", "farms"],
  ["abcd", "badc"],
  ["abcde", "edcba"],
  ["slack", ""],
] as const)("%s and %s share no spelling", ([one, other]) => {
  expect([isOneTypoApart(one, other), isOneTypoApart(other, one)]).toEqual([false, false]);
});

test("words that are too short or too long have no spellings", () => {
  expect([spellingsOf("sms"), spellingsOf("x".repeat(25))]).toEqual([[], []]);
  expect(spellingsOf("slack")).toEqual(["slack", "lack", "sack", "slck", "slak", "slac"]);
  expect(spellingsOf("aaaa")).toEqual(["aaaa", "aaa"]);
});

import { expect, test } from "vitest";

import { isTooDeep } from "#domain/json-depth.ts";

const nested = (levels: number, inner = "") => "[".repeat(levels) + inner + "]".repeat(levels);

test.each([
  ["500 levels", nested(500), false],
  ["501 levels", nested(501), true],
  ["501 levels of objects", `${'{"a":'.repeat(501)}1${"}".repeat(501)}`, true],
  ["levels of both kinds", `${'[{"a":'.repeat(251)}1${"}]".repeat(251)}`, true],
  ["a level deep among shallow ones", `[${nested(3)},${nested(500)}]`, true],
  ["many side by side", `[${Array.from({ length: 5000 }, () => "[{}]").join(",")}]`, false],
  ["brackets in a string", JSON.stringify(nested(6000)), false],
  ["brackets in a key", JSON.stringify({ [nested(6000)]: 1 }), false],
  ["brackets behind an escaped quote", JSON.stringify(`"${nested(6000)}`), false],
  ["brackets in a string after one that ends in a backslash", `["\\\\",${nested(500)}]`, true],
  ["a string without an end", `"${nested(6000)}`, false],
  ["no JSON at all", "[".repeat(6000), true],
])("%s", (_, text, isDeep) => {
  expect(isTooDeep(text)).toBe(isDeep);
});

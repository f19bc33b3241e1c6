import { expect, test } from "vitest";

import { filledBase, misplacedIn } from "#domain/app-templates.ts";

test.each([
  ["https://{{shop}}.example.com/v1", "toys", "https://toys.example.com/v1"],
  ["https://{{ shop }}.example.com", "eu-1.toys", "https://eu-1.toys.example.com"],
  ["https://{{shop}}", "toys.example:8443", "https://toys.example:8443"],
  ["https://api.example.com/{{shop}}", "a/b?c", "https://api.example.com/a/b?c"],
  ["{{shop}}/api", "http://toys.example:81/cloud", "http://toys.example:81/cloud/api"],
])("%s with %s is %s", (template, shop, url) => {
  expect(filledBase(template, { shop })).toBe(url);
  expect(misplacedIn(template, { shop })).toEqual([]);
});

const ESCAPES = [
  "evil.example/",
  "evil.example?",
  "evil.example#",
  "a@evil.example",
  "evil\\",
  "a:1",
  "",
  "ä",
];

test.each([
  ...ESCAPES.map((value) => ["https://{{shop}}.example.com/v1", value]),
  ...ESCAPES.map((value) => ["https://a.{{shop}}.example.com", value]),
  ["https://{{shop}}", "evil.example/?"],
  ["https://{{shop}}", "evil.example:1:2"],
  ["{{shop}}.example.com", "https://evil.example/"],
  ["{{shop}}.example.com", "https://evil.example:1"],
  ["{{shop}}/api", "https://evil.example?"],
  ["{{shop}}/api", "ftp://evil.example"],
])("%s with %s would choose another host", (template = "", shop = "") => {
  expect(misplacedIn(template, { shop })).toEqual(["shop"]);
  expect(filledBase(template, { shop })).toBeUndefined();
});

test("a base URL whose name has no value yet is not filled in, and names no wrong one", () => {
  expect(misplacedIn("https://{{shop}}.example.com", {})).toEqual([]);
  expect(filledBase("https://{{shop}}.example.com", {})).toBeUndefined();
});

import { expect, test } from "vitest";

import { slugOf } from "#domain/slug.ts";

test.for([
  ["New Commit (Instant)", "new-commit-instant"],
  ["  Ünïcödé & co ", "uenicoede-and-co"],
  ["GitHub: new-commit", "github-new-commit"],
  ["???", "source"],
  ["x".repeat(300), "x".repeat(100)],
])("the slug of %j is %j", ([name = "", slug]) => {
  expect(slugOf(name)).toBe(slug);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";

import { compileFilter, issueOfFilter, MAX_FILTER_LENGTH } from "#domain/filters.ts";
import type { Json } from "#domain/json.ts";

const EVENT: Json = {
  status: "paid",
  total: 120.5,
  test: false,
  shop: { name: "Books" },
  tags: ["new", "EU"],
  none: null,
};

function passes(text: string, event: Json = EVENT): boolean {
  expect(issueOfFilter(text)).toBeUndefined();
  return compileFilter(text)({ event, name: "orders", source: "dc_a", id: "e1", ts: 5 });
}

test.for([
  'event.status == "paid"',
  'event["status"] === "paid" && event.total >= 100',
  "!event.test",
  'event.status != "open"',
  'event.tags.includes("EU")',
  '["paid", "open"].includes(event.status)',
  'event.shop.name.toLowerCase().startsWith("boo")',
  'event.shop.name.endsWith("ks") && event.shop.name.includes("ook")',
  '"total" in event',
  "event.tags.length === 2",
  'event.tags[0] == "new"',
  "event.absent === undefined",
  "event.absent?.deep.deeper === undefined",
  "event.absent?.startsWith('x') === undefined",
  "(event.none ?? 3) === 3",
  "event.test ? false : true",
  "event.total * 2 - 1 == 240 && -event.total < 0 && event.total % 2 > 0 && 1 + 1 == 4 / 2",
  'name == "orders" && source == "dc_a" && id == "e1" && ts == 5 && summary == undefined',
  "event",
])("%s matches", (text) => {
  expect(passes(text)).toBe(true);
});

test.for([
  'event.status == "open"',
  "event.absent.deep == 1",
  "!(event.absent.deep == 1)",
  "event.none.x",
  "event.total < 'x'",
  "!(event.total < 'x')",
  "event.shop == event.shop",
  "event.status + 1",
  'event.total.includes("1")',
  '"x" in event.tags',
  "event.constructor",
  'event["__proto__"]',
  "event.toString",
  "event.tags.constructor",
  "event.status.__proto__",
  'event.tags["push"]',
  'event["const" in event ? "a" : "constructor"]',
])("%s does not match", (text) => {
  expect(passes(text)).toBe(false);
});

test("a field with the name of a prototype's is a field", () => {
  const event = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}') as Json;
  expect(passes("event.__proto__.admin && event.constructor == 1", event)).toBe(true);
});

test.for([
  ["event.", "character 7: Unexpected token"],
  ["", "character 1: Unexpected token"],
  ["event event", "character 7: must be one expression"],
  ["process.env", "character 1: process is not a variable"],
  ["event.a && globalThis", "character 12: globalThis is not a variable"],
  ["event.a.constructor('x')", "character 9: must be one of the methods"],
  ["event.a.toString()", "character 9: must be one of the methods"],
  ["event['includes'](1)", "character 1: call expression is not allowed"],
  ["event.a.includes()", "character 9: must be called with 1 values"],
  ["event.a.includes(...event.b)", "character 18: spread element is not allowed"],
  ["event.a = 1", "character 1: assignment expression is not allowed"],
  ["(() => 1)()", "character 1: call expression is not allowed"],
  ["() => 1", "character 1: arrow function expression is not allowed"],
  ["/(a+)+$/", "character 1: /(a+)+$/ is not allowed"],
  ["1n", "character 1: 1n is not allowed"],
  ["`${event}`", "character 1: template literal is not allowed"],
  ["typeof event", "character 1: the operator typeof is not allowed"],
  ["2 ** 9", "character 1: the operator ** is not allowed"],
  ["[1,,2]", "character 1: array expression is not allowed"],
  ["await event", "character"],
  ["import('x')", "character 1: import expression is not allowed"],
  ["new Date()", "character 1: new expression is not allowed"],
  ["this", "character 1: this expression is not allowed"],
  ["1".repeat(MAX_FILTER_LENGTH + 1), "must have at most 1000 characters, not 1001"],
  [`${"!".repeat(999)}1`, "must be nested at most 100 levels deep"],
  [`event${"[0]".repeat(300)}`, "must be nested at most 100 levels deep"],
  [`${"[".repeat(500)}${"]".repeat(500)}`, "must be nested at most 100 levels deep"],
] as const)("rejects %s", ([text, message]) => {
  expect(issueOfFilter(text)).toMatchObject({
    path: "filter",
    message: expect.stringContaining(message),
  });
  expect(compileFilter(text)({ event: {}, name: "", source: "dc_a" })).toBe(false);
});

const ABSENT_CHAINS = Array.from({ length: 60 }, () => "id?.a.b.c").join(" || ");
const NEARLY_MATCHING = Array.from({ length: 25 }, () => "event.text.includes(event.needle)").join(
  " || ",
);
const LIST_SEARCHES = Array.from({ length: 30 }, () => "event.includes('y')").join(" || ");
const SEARCHES = Array.from({ length: 40 }, () => 'event.includes("y")').join(" || ");

test("a costly filter on a large event does not match", () => {
  const text = "a".repeat(2_000_000);
  const event = { text, needle: `b${"a".repeat(99)}`, long: "a".repeat(101) };
  expect(passes("event.text.includes('aa')", event)).toBe(true);
  expect(passes("event.text.includes(event.long)", event)).toBe(false);
  expect(passes(`${NEARLY_MATCHING} || true`, event)).toBe(false);
  const list = { list: Array.from({ length: 900_000 }, () => "x") };
  expect(passes(`${"event.list.includes('y') || ".repeat(30)} true`, list)).toBe(false);
});

test.for([
  [ABSENT_CHAINS, "x"],
  [SEARCHES, "x".repeat(1_000_000)],
  [NEARLY_MATCHING, { text: "a".repeat(2_000_000), needle: `b${"a".repeat(99)}` }],
  [LIST_SEARCHES, Array.from({ length: 900_000 }, () => "x")],
  ["event.constructor.prototype.__proto__ == 1", "x"],
  ["event.length.length.length", "x"],
] as const)("the work of %.40s is bounded and deterministic", ([text, event]) => {
  const budget = { left: 0 };
  const filter = compileFilter(text, budget);
  expect(budget.left).toBe(-100 * text.length);
  const works = [1, 2, 3].map(() => {
    const before = budget.left;
    expect(filter({ event, name: "", source: "dc_a" }, budget)).toBe(false);
    return before - budget.left;
  });
  expect(new Set(works).size).toBe(1);
  expect(works[0]).toBeGreaterThanOrEqual(text.length);
  expect(works[0]).toBeLessThanOrEqual(text.length + 4_000_000);
});

test("no text and no event make a filter throw", () => {
  const terms = fc.constantFrom(
    ..."event name ts ?. . a [ ] ( ) 0 'x' && || ?? ! - < == in ? : includes toLowerCase constructor / ,".split(
      " ",
    ),
  );
  const texts = fc.oneof(
    fc.string(),
    fc.array(terms, { maxLength: 40 }).map((all) => all.join(" ")),
  );
  fc.assert(
    fc.property(texts, fc.jsonValue(), (text, event) => {
      const issue = issueOfFilter(text);
      const result = compileFilter(text)({ event: event as Json, name: "", source: "dc_a" });
      expect(typeof result).toBe("boolean");
      expect(issue !== undefined && result).toBe(false);
    }),
    { numRuns: 3000 },
  );
});

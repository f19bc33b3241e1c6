import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { parseJson, placeOf } from "../../../console/src/json/parse.ts";
import { type Schema, schemaProblems } from "../../../console/src/json/schema.ts";

test.for([
  "null",
  "-1.5e3",
  String.raw`"a\"b\\c\/\n\u00e9"`,
  "[]",
  ' [1, {"a": [true, false, null]}, "x"]\n',
  '{"a": {"b": {}}, "a b": "", "__proto__": 1}',
])("parses %s like JSON.parse", (text) => {
  expect(parseJson(text)).toMatchObject({ value: JSON.parse(text) });
});

test.for([
  ["", 1, 0, /value is missing/],
  ['{\n  "a": 1,\n}', 3, 0, /name in double quotes/],
  ['{"a" 1}', 1, 5, /colon/],
  ['{"a": 1 "b": 2}', 1, 8, /comma or a closing brace/],
  ["[1, 2", 1, 5, /comma or a closing bracket/],
  ['["abc', 1, 1, /has no end/],
  [String.raw`"a\q"`, 1, 3, /no such escape/],
  ["[01]", 1, 2, /comma or a closing bracket/],
  ["{} {}", 1, 3, /more text/],
  ["nul", 1, 0, /value is missing/],
] as const)("%j is no JSON, at line %i and column %i", ([text, line, column, message]) => {
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect(parseJson(text)).toEqual({
    problem: { line, column, message: expect.stringMatching(message) },
  });
});

test("each value has a place, a field its name's place, and a missing field its container's place", () => {
  const parsed = parseJson('{\n  "steps": [\n    {"name": "a"},\n    {"name": "b"}\n  ]\n}');
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  const { places } = parsed;
  expect(placeOf(places, "steps.1.name")).toEqual({ line: 4, column: 5 });
  expect(placeOf(places, "steps.1.props.x")).toEqual({ line: 4, column: 4 });
  expect(placeOf(places, "trigger")).toEqual({ line: 1, column: 0 });
});

const schema = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../../docs/schemas/workflow.json"), "utf8"),
) as Schema;

const STEP = { name: "total", component_code: "export default () => 42" };

test.for([
  { name: "Total", steps: [STEP] },
  { name: "Total", trigger: { type: "http" }, steps: [STEP], active: false, unknown: 1 },
  { name: "Total", trigger: { type: "timer", interval_seconds: 15 }, steps: [STEP] },
  { name: "Total", trigger: { type: "timer", cron: "0 9 * * 1-5" }, steps: [STEP] },
  { name: "T", steps: [{ name: "a", key: "shop-greet", props: { a: 1 }, retries: { limit: 3 } }] },
])("the schema of workflows accepts %j", (workflow) => {
  expect(schemaProblems(workflow, schema)).toEqual([]);
});

test.for([
  [[], "", "must be an object"],
  [{ steps: [STEP] }, "", 'needs "name"'],
  [{ name: "T", steps: [] }, "steps", "at least 1"],
  [{ name: " ", steps: [STEP] }, "name", "must match"],
  [{ name: "T", steps: [{ ...STEP, name: "a b" }] }, "steps.0.name", "must match"],
  [{ name: "T", steps: [{ ...STEP, name: "trigger" }] }, "steps.0.name", "must not be"],
  [{ name: "T", steps: [{ name: "a" }] }, "steps.0", 'exactly one of "component_code"'],
  [{ name: "T", steps: [{ ...STEP, key: "k" }] }, "steps.0", "exactly one of"],
  [{ name: "T", steps: [STEP], trigger: { type: "moon" } }, "trigger.type", "must be one of"],
  [{ name: "T", steps: [STEP], trigger: { type: "timer" } }, "trigger", "exactly one of"],
  [
    { name: "T", steps: [STEP], trigger: { type: "timer", interval_seconds: 1 } },
    "trigger",
    "exactly one of",
  ],
  [
    { name: "T", steps: [{ ...STEP, retries: { limit: 21 } }] },
    "steps.0.retries.limit",
    "at most 20",
  ],
  [
    { name: "T", steps: [{ ...STEP, retries: { limit: 0.5 } }] },
    "steps.0.retries.limit",
    "an integer",
  ],
] as const)("the schema of workflows rejects %j", ([workflow, path, message]) => {
  const problems = schemaProblems(workflow, schema);
  expect(problems).toContainEqual({ path, message: expect.stringContaining(message) });
});

import { expect, test } from "vitest";

import { compileProps, expressionModule } from "#domain/expressions.ts";
import type { Json } from "#domain/json.ts";

function compiled(value: Json) {
  const props = compileProps({ value });
  if (Array.isArray(props)) throw new Error(props.map(({ message }) => message).join());
  return props;
}

test.for<[Json, string]>([
  ["{{steps.a.b}}", "(steps) => (steps.a.b)"],
  ["{{ steps.a }}", "(steps) => (steps.a)"],
  ["{{ { a: { b: 1 } } }}", "(steps) => ({ a: { b: 1 } })"],
  ['{{ "}}" + 1 }}', '(steps) => ("}}" + 1)'],
  ["{{ (1, 2) }}", "(steps) => ((1, 2))"],
  ["Hi {{steps.a}}!", '(steps) => ("Hi " + $text((steps.a)) + "!")'],
  ["{{1}}{{2}}", "(steps) => ($text((1)) + $text((2)))"],
  [{ a: ["{{1}}", 2] }, '(steps) => ({["a"]: [(1), 2]})'],
  [{ ["__proto__"]: "{{1}}" }, '(steps) => ({["__proto__"]: (1)})'],
])("compiles %j", ([value, code]) => {
  expect(compiled(value)).toEqual({ fixed: {}, computed: { value: code } });
});

test.for<[Json]>([["plain"], [5], [null], [["a", { b: "}}" }]], ["{ {a} }"]])(
  "%j has no expression",
  ([value]) => {
    expect(compiled(value)).toEqual({ fixed: { value }, computed: {} });
  },
);

test.for<[Json, string, string]>([
  ["{{steps.}}", "props.value", "not an expression"],
  ["{{}}", "props.value", "not an expression"],
  ["{{ a b }}", "props.value", "ends with }}"],
  ["{{ a; b }}", "props.value", "ends with }}"],
  ["{{ 1) + (2 }}", "props.value", "ends with }}"],
  ["{{ a", "props.value", "ends with }}"],
  ["{{ await 1 }}", "props.value", "not an expression"],
  [{ deep: ["ok", "{{ if }}"] }, "props.value.deep.1", "not an expression"],
])("rejects %j", ([value, path, message]) => {
  const issues = compileProps({ value });
  expect(issues).toEqual([{ path, message: expect.stringContaining(message) }]);
});

test("reports every broken expression", () => {
  expect(compileProps({ a: "{{(}}", b: "fine", c: "{{)}}" })).toMatchObject([
    { path: "props.a" },
    { path: "props.c" },
  ]);
});

test("the module has a function for each prop", () => {
  expect(expressionModule({ a: "(steps) => (steps.b)" })).toContain('["a"]: (steps) => (steps.b)');
});

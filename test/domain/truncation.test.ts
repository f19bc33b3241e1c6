import * as fc from "fast-check";
import { expect, test } from "vitest";

import { truncate } from "#domain/truncation.ts";

const sevens = Array.from({ length: 1000 }, () => 7);

test.for([
  ["an object's long texts", { a: "x".repeat(3000), b: 1 }, { a: `${"x".repeat(2031)}…`, b: 1 }],
  [
    "the end of a nested list",
    { deep: { list: sevens } },
    { deep: { list: sevens.slice(0, 100) } },
  ],
  ["a long text", "y".repeat(3000), `${"y".repeat(2043)}…`],
] as const)("cuts %s", ([, event, shown]) => {
  const { payload, truncated } = truncate(JSON.stringify(event));
  expect(truncated).toBe(true);
  expect(JSON.parse(payload)).toEqual(shown);
});

test("keeps an error with its context beside a large event", () => {
  const stack = [
    "Error: refused",
    ...Array.from({ length: 40 }, (_, n) => `    at f${n} (a.js:1:1)`),
  ];
  const record = {
    original_event: { headers: { host: "h" }, body: { items: sevens, text: "x".repeat(6000) } },
    original_context: { id: "run", source_id: "dc_1", workflow_name: "w".repeat(200) },
    error: {
      code: "Error",
      message: "refused: ".repeat(100),
      cellId: "c_1",
      stack: stack.join("\n"),
    },
  };
  const { payload, truncated } = truncate(JSON.stringify(record));
  const { error, original_context, original_event } = JSON.parse(payload);
  expect(truncated).toBe(true);
  expect(original_context).toEqual(record.original_context);
  expect(original_event).toMatchObject({
    headers: { host: "h" },
    body: { items: sevens.slice(0, 100) },
  });
  expect(error).toMatchObject({ code: "Error", cellId: "c_1" });
  expect(error.message).toMatch(/^(?:refused: ){50}.*…$/);
  expect(error.stack).toMatch(/^Error: refused\n {4}at f0 \(a.js:1:1\)\n {4}at f1 /);
});

/** Whether a value is the other one with cut texts and without ends of its lists and objects. */
function isCutOf(shown: unknown, whole: unknown): boolean {
  if (typeof shown === "string" && typeof whole === "string") return isCutText(shown, whole);
  if (!isContainer(shown) || !isContainer(whole)) return Object.is(shown, whole);
  if (Array.isArray(shown) !== Array.isArray(whole)) return false;
  return Object.entries(shown).every(([key, value]) => isCutOf(value, Reflect.get(whole, key)));
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isCutText(shown: string, whole: string): boolean {
  return shown === whole || (shown.endsWith("…") && whole.startsWith(shown.slice(0, -1)));
}

test("shows any event in 2 KB, and changes no value's type", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.string({ minLength: 1024 }), (value, text) => {
      const whole = JSON.parse(JSON.stringify({ value, list: [text, value, { text }] }));
      const { payload, truncated } = truncate(JSON.stringify(whole));
      expect(truncated || payload === JSON.stringify(whole)).toBe(true);
      expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(2048);
      expect(isCutOf(JSON.parse(payload), whole)).toBe(true);
    }),
  );
});

test("shows 1 KB of bytes whole, and truncates one byte more", () => {
  const whole = JSON.stringify("é".repeat(511));
  expect(truncate(whole)).toEqual({ payload: whole, truncated: false });
  expect(truncate(JSON.stringify("é".repeat(512))).truncated).toBe(true);
});

test("never cuts a character in half", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme", minLength: 600 }), (text) => {
      const { payload } = truncate(JSON.stringify({ text }));
      expect(JSON.parse(payload).text.isWellFormed()).toBe(true);
    }),
  );
});

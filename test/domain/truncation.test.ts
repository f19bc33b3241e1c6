import * as fc from "fast-check";
import { expect, test } from "vitest";

import { truncate } from "#domain/truncation.ts";

test.for([
  ["an object's long values", { a: "x".repeat(2000), b: 1 }, { a: `${"x".repeat(64)}…`, b: 1 }],
  [
    "a nested value, as the beginning of its JSON",
    { deep: { list: Array.from({ length: 600 }, () => 7) } },
    { deep: `${JSON.stringify({ list: Array.from({ length: 600 }, () => 7) }).slice(0, 64)}…` },
  ],
  ["a long string", "y".repeat(3000), `${"y".repeat(64)}…`],
] as const)("truncates %s", ([, event, shown]) => {
  const { payload, truncated } = truncate(JSON.stringify(event));
  expect(truncated).toBe(true);
  expect(JSON.parse(payload)).toEqual(shown);
});

test("keeps an error's message and origin", () => {
  const stack = [
    "Error: refused",
    ...Array.from({ length: 40 }, (_, n) => `    at f${n} (a.js:1:1)`),
  ];
  const record = {
    original_event: { body: "x".repeat(1000) },
    original_context: { id: "run", source_id: "dc_1" },
    error: {
      code: "Error",
      message: "refused: ".repeat(100),
      cellId: "c_1",
      stack: stack.join("\n"),
    },
  };
  const { payload, truncated } = truncate(JSON.stringify(record));
  const { error, original_event } = JSON.parse(payload);
  expect(truncated).toBe(true);
  expect(original_event).toMatch(/…$/);
  expect(error).toMatchObject({ code: "Error", cellId: "c_1" });
  expect(error.message).toMatch(/^(?:refused: ){50}.*…$/);
  expect(error.stack).toMatch(/^Error: refused\n {4}at f0 \(a.js:1:1\)\n {4}at f1 /);
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

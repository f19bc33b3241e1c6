import { expect, test } from "vitest";

import { EventFormatter } from "../../packages/cli/src/terminal/events.ts";

const FILES = { "orders.js": "export default {\n  run() {\n    throw new TypeError();\n" };
const STACK = "TypeError: an order has an id\n    at Object.run (orders.js:3:11)";

function eventOn(name: string, event: unknown) {
  const metadata = { name, emit_id: "e", emitter_id: "dc_1" };
  return { id: "1-0", indexed_at_ms: Date.now(), event, metadata };
}

function logged(message: string, run_id = "run_1") {
  return eventOn("$logs", { level: "error", message, ts: 1, run_id });
}

function thrown(code: string, message: string, stack = "") {
  return eventOn("$errors", {
    original_context: { id: "run_1" },
    error: { code, message, stack },
  });
}

/** The formatted lines without times. */
function shown(...events: ReturnType<typeof eventOn>[]): string[] {
  const formatter = new EventFormatter();
  return events
    .flatMap((event) => formatter.format(event, FILES))
    .map((line) => line.replace(/^\d\d:\d\d:\d\d {2}| {10}/, ""));
}

const LINES = [
  "error    TypeError: an order has an id",
  "         at orders.js:3:11",
  "         3 | throw new TypeError();",
];

test("an error that a component catches and logs is shown, with the line that threw", () => {
  expect(shown(logged(STACK))).toEqual(LINES);
});

test("an error is shown with its callers in the component's own files", () => {
  const stack = `${STACK}\n    at total (node_modules/sum.js:1:1)\n    at Object.run (orders.js:2:3)`;
  expect(shown(thrown("TypeError", "an order has an id", stack))).toEqual([
    ...LINES,
    "         from orders.js:2:3",
  ]);
});

test("an uncaught error, which is also a log line of its run, is shown once", () => {
  const error = thrown("TypeError", "an order has an id", STACK);
  expect(shown(logged(STACK), error)).toEqual(LINES);
  expect(shown(logged("Error: text"), thrown("Error", "text"))).toEqual(["error    Error: text"]);
});

test("an error of a run is shown after the same log line of another run, and if it has none", () => {
  const twice = shown(logged(STACK, "run_2"), thrown("TypeError", "an order has an id", STACK));
  expect(twice).toEqual([...LINES, ...LINES]);
  const refused = thrown("DedupeError", "$emit needs an id");
  expect(shown(refused)).toEqual(["error    DedupeError: $emit needs an id"]);
});

test("a log line with more than an error is shown as it is", () => {
  expect(shown(logged(`${STACK}\n  more`))).toEqual([
    "error    TypeError: an order has an id",
    "             at Object.run (orders.js:3:11)",
    "           more",
  ]);
});

test.for([
  [{ emitted: 1, duplicates: 0 }, "1 event"],
  [{ emitted: 0, duplicates: 1 }, "0 events, 1 duplicate"],
  [{ emitted: 2 }, "2 events"],
] as const)("a run with %j is shown with %j", ([counts, text]) => {
  const run = { run_id: "run_1", trigger: "http", method: "POST", path: "/", duration_ms: 2 };
  const [line] = shown(eventOn("$runs", { ...run, outcome: "succeeded", ...counts }));
  expect(line).toBe(`run      POST /  ok  2 ms  ${text}`);
});

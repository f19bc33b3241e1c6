import { stripVTControlCharacters } from "node:util";

import { expect, test } from "vitest";

import { readable } from "../../tools/scripts/local/log-lines.ts";

const LINE = {
  time: "2026-01-01T00:00:00.000Z",
  level: "warn",
  event: "listener_failed",
  message: "A listener did not take its events",
  listener_id: "dc_1",
  count: 2,
};

test("a line of the platform is formatted in words, with its ids", () => {
  expect(readable({ level: "log", message: JSON.stringify(LINE) })).toBe(
    "warn: A listener did not take its events (event=listener_failed listener_id=dc_1 count=2)",
  );
});

test.for([
  "NOSENTRY SQLite alarm handler canceled with requestScheduledAlarm = 2026-01-01",
  "script terminated for unknown reasons",
])("harmless output of the runtime is not shown: %s", (message) => {
  expect(readable({ level: "error", message })).toBeUndefined();
});

test("its error is printed below it, frame by frame", () => {
  const error = { name: "Error", message: "locked", stack: "at a.ts:1:2\nat b.ts:3:4" };
  const shown = readable({ level: "error", message: JSON.stringify({ ...LINE, error }) });
  expect(shown?.split("\n").slice(1)).toEqual([
    "  Error: locked",
    "    at a.ts:1:2",
    "    at b.ts:3:4",
  ]);
});

test("no text of others moves the cursor, or reverses the text after it", () => {
  const error = {
    name: "Error",
    message: "a\u001B[2Jb\u202Ec",
    stack: "at x\u0007.ts\n\tat y\u2028z.ts",
  };
  const shown = readable({ level: "error", message: JSON.stringify({ ...LINE, error }) });
  expect(shown?.split("\n").slice(1)).toEqual([
    "  Error: a [2Jb c",
    "    at x .ts",
    "    \tat y z.ts",
  ]);
  expect(readable({ level: "error", message: "raw \u009B31m\u202Etext" })).toBe("raw  31m text");
});

const RUN = {
  level: "info",
  event: "shown_run",
  message: "",
  trigger: "http",
  method: "POST",
  path: "/",
  status: 200,
  name: "Orders",
  duration_ms: 12,
  events: 1,
  summaries: ["Order 1"],
  listeners: 2,
};

test.for([
  [{}, "POST  Orders  200  12 ms  Order 1  → 2 listeners"],
  [{ path: "/paid", listeners: 1 }, "POST /paid  Orders  200  12 ms  Order 1  → 1 listener"],
  [{ events: 0, summaries: [] }, "POST  Orders  200  12 ms  no event"],
  [{ events: 1, summaries: [] }, "POST  Orders  200  12 ms  1 event  → 2 listeners"],
  [
    { events: 5, summaries: ["a", "b", "c"] },
    "POST  Orders  200  12 ms  5 events: a, b, c, …  → 2 listeners",
  ],
  [{ summaries: ["a\n\u001b[2Jb"] }, "POST  Orders  200  12 ms  a [2Jb  → 2 listeners"],
  [
    { trigger: "timer", method: undefined, path: undefined, status: undefined },
    "timer  Orders  12 ms  Order 1  → 2 listeners",
  ],
] as const)("a run with %j is formatted as one line", ([more, shown]) => {
  expect(readable({ level: "log", message: JSON.stringify({ ...RUN, ...more }) })).toBe(shown);
});

test("a failed run is formatted with its error and the first frame", () => {
  const stack = "TypeError: no id\n    at run (orders.js:6:9)\n    at other (orders.js:9:1)";
  const failure = { name: "TypeError", message: "no id", stack };
  const run = { ...RUN, events: 0, summaries: [], failure };
  const shown = readable({ level: "log", message: JSON.stringify(run) });
  expect(stripVTControlCharacters(shown ?? "").split("\n")).toEqual([
    "POST  Orders  200  12 ms  no event",
    "  TypeError: no id",
    "    at run (orders.js:6:9)",
  ]);
});

const STACK = "stack: /bin/workerd@26b6840 /bin/workerd@3739630";

test.for([
  [`e = rust/worker/ffi.rs:110: failed: no such name\n${STACK}; wdErrId = abc`, undefined],
  [`Socket proxy disconnected abruptly; e = ffi.rs:119: failed: no such name\n${STACK}`, undefined],
  [`Out of something\n${STACK}`, "Out of something"],
] as const)("%j is formatted without a stack of the runtime", ([message, shown]) => {
  expect(readable({ level: "error", message })).toBe(shown);
});

test.for([
  ["warn", "plain words", "plain words"],
  ["error", '{"no":"line of ours"}', '{"no":"line of ours"}'],
  ["error", "{ not even JSON", "{ not even JSON"],
  ["log", "plain words", undefined],
  ["info", '{"no":"line of ours"}', undefined],
] as const)("at %s, the foreign line %j is formatted as %j", ([level, message, shown]) => {
  expect(readable({ level, message })).toBe(shown);
});

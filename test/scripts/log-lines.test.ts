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

test("a line of the platform is shown in words, with its ids", () => {
  expect(readable({ level: "log", message: JSON.stringify(LINE) })).toBe(
    "warn: A listener did not take its events (event=listener_failed listener_id=dc_1 count=2)",
  );
});

test("its error is shown below it, frame by frame", () => {
  const error = { name: "Error", message: "locked", stack: "at a.ts:1:2\nat b.ts:3:4" };
  const shown = readable({ level: "error", message: JSON.stringify({ ...LINE, error }) });
  expect(shown?.split("\n").slice(1)).toEqual([
    "  Error: locked",
    "    at a.ts:1:2",
    "    at b.ts:3:4",
  ]);
});

test.for([
  ["warn", "plain words", "plain words"],
  ["error", '{"no":"line of ours"}', '{"no":"line of ours"}'],
  ["error", "{ not even JSON", "{ not even JSON"],
  ["log", "plain words", undefined],
  ["info", '{"no":"line of ours"}', undefined],
] as const)("of what others write at %s, %j is shown as %j", ([level, message, shown]) => {
  expect(readable({ level, message })).toBe(shown);
});

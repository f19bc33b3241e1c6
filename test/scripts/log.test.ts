import { expect, test } from "vitest";

import { Log, logFormat } from "../../tools/scripts/local/log.ts";

const OWN = JSON.stringify({
  time: "2026-01-01T00:00:00.000Z",
  level: "warn",
  event: "listener_failed",
  message: "A listener did not take its events",
  listener_id: "dc_1",
});

/** The output of a log, line by line. */
function written(format: "text" | "json", work: (log: Log) => void): string[] {
  const lines: string[] = [];
  work(new Log(format, (text) => void lines.push(text)));
  return lines;
}

const parsed = (lines: string[]) =>
  lines.map((line) => JSON.parse(line) as Record<string, unknown>);

test("as JSON, lines of the platform stay unchanged, and others become lines", () => {
  const lines = written("json", (log) => {
    log.runtime({ level: "warn", message: OWN });
    log.runtime({ level: "error", message: "Broken\npipe" });
    log.runtime({ level: "info", message: "idle talk" });
  });
  expect(lines).toHaveLength(2);
  expect(lines[0]).toBe(OWN);
  expect(lines[1]).not.toContain("\n");
  expect(parsed(lines)[1]).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    level: "error",
    event: "runtime",
    message: "Broken\npipe",
  });
});

test("as JSON, no run is logged: users' data stays out of the log", () => {
  const run = JSON.stringify({ level: "info", event: "shown_run", message: "", summaries: ["x"] });
  expect(written("json", (log) => log.runtime({ level: "log", message: run }))).toEqual([]);
});

test("a line about the run has its fields and its error as JSON, and its message as text", () => {
  const error = new RangeError("too far");
  const work = (log: Log) => {
    log.line({ level: "info", event: "started", message: "Ready" }, { duration_ms: 7 });
    log.line({ level: "error", event: "cron_failed", message: "It failed", error });
  };
  expect(parsed(written("json", work))).toMatchObject([
    { level: "info", event: "started", message: "Ready", duration_ms: 7 },
    { event: "cron_failed", error: { name: "RangeError", message: "too far", stack: error.stack } },
  ]);
  expect(written("text", work)).toEqual(["Ready", "It failed", error.stack]);
});

test("rejects formats other than text and json", () => {
  expect([logFormat(), logFormat("text"), logFormat("json")]).toEqual(["text", "text", "json"]);
  expect(() => logFormat("xml")).toThrow('LOG_FORMAT must be text or json, not "xml".');
});

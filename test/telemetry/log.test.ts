import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";

import { IsolateTimeout } from "#domain/isolate-timeout.ts";
import { EVENTS } from "#telemetry/events.ts";
import { causeOfDeath, cleaned, faultOf } from "#telemetry/fault.ts";
import { log } from "#telemetry/log.ts";

import { linesOf, withLogLevel } from "../support/telemetry.ts";

test("a line is one object with a time, its level, its event and a message", async () => {
  const lines = await linesOf("debug", () => {
    log("listener_failed", { listener_id: "dc_1", count: 2 });
  });
  expect(lines).toEqual([
    {
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: "warn",
      event: "listener_failed",
      message: EVENTS.listener_failed[1],
      listener_id: "dc_1",
      count: 2,
    },
  ]);
});

test.for([
  ["debug", 3],
  ["info", 3],
  ["warn", 2],
  ["error", 1],
  ["silent", 0],
  ["loud", 3],
] as const)("the level %s writes %i of three lines", async ([level, count]) => {
  const lines = await linesOf(level, () => {
    log("sweep_ended");
    log("engine_full");
    log("run_uncommitted");
  });
  expect(lines).toHaveLength(count);
});

test("each level is written by its own method, which determines Cloudflare's level", async () => {
  const written = vi.spyOn(console, "error").mockImplementation(() => {});
  await withLogLevel("info", async () => log("run_uncommitted", { run_id: "r" }));
  expect(written).toHaveBeenCalledTimes(1);
  expect(JSON.parse(String(written.mock.calls[0]?.[0]))).toMatchObject({ level: "error" });
  written.mockRestore();
});

test("names of events are lower-case words, and their messages are phrases", () => {
  for (const [name, [, message]] of Object.entries(EVENTS)) {
    expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(message).toMatch(/^[A-Z].*[^.]$/);
  }
});

test.for([
  [
    `Unexpected token 'a', "a=hunter2" is not valid JSON`,
    `Unexpected token 'a', "…" is not valid JSON`,
  ],
  [`Failed query: insert into "t" values (?)\nparams: hunter2,1`, "Failed query"],
  [
    "fetch of https://ada:pw@host.test:81/e/key?token=1 failed",
    "fetch of https://host.test:81/… failed",
  ],
  ["Authorization: Bearer abc.def rejected", "Authorization: Bearer … rejected"],
  [`no ${"a1".repeat(22)} here`, "no … here"],
  ["whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD is old", "… is old"],
  ["No dc_0123456789012345678901", "No dc_0123456789012345678901"],
  ["no run 1b4e28ba-2fa1-11d2-883f-0016d3cca427", "no run 1b4e28ba-2fa1-11d2-883f-0016d3cca427"],
  ["UNIQUE constraint failed: users.username", "UNIQUE constraint failed: users.username"],
])("a line replaces %j by %j", ([text = "", expected]) => {
  expect(cleaned(text)).toBe(expected);
});

test("a line about an error has its message, its cause and its origin, and nothing else", () => {
  const error = new TypeError(`no "hunter2"`, { cause: new Error("D1_ERROR: locked") });
  const { name, message, stack } = faultOf(error);
  expect([name, message]).toEqual(["TypeError", `no "…": D1_ERROR: locked`]);
  expect(stack).toContain("at ");
  expect(stack).not.toContain("hunter2");
  expect(faultOf("hunter2")).toEqual({ name: "Thrown", message: "string", stack: "" });
  error.name = "hunter2 is my password";
  expect(faultOf(error).name).toBe("Error");
  expect(faultOf(new Error("word ".repeat(1000))).message.length).toBeLessThanOrEqual(300);
});

test.for([
  ["Worker exceeded CPU time limit.", "cpu_limit"],
  ["Worker exceeded memory limit.", "memory_limit"],
  ["Network connection lost.", "disconnected"],
  [new IsolateTimeout().message, "unknown"],
  ["hunter2", "unknown"],
])("the cause of death of an isolate with %j is %s", ([message, cause]) => {
  expect(causeOfDeath(new Error(message))).toBe(cause);
});

test("a timed-out isolate is recognized by the type of its error, whatever its message", () => {
  const error = new IsolateTimeout();
  error.message = "hunter2";
  expect(causeOfDeath(error)).toBe("silent");
});

test("the level is a variable of the deployment", () => {
  expect(env.LOG_LEVEL).toBe("warn");
});

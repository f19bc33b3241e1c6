import { expect, test } from "vitest";

import type { Json } from "#domain/json.ts";
import { checkProps, type Values } from "#domain/props.ts";

/** Check a schedule for one timer prop with the name `x`. */
function check(prop: { type: string } & Values, given?: Json) {
  return checkProps([{ name: "x", ...prop }], given === undefined ? {} : { x: given });
}

/** The violations of a schedule. */
function problems(prop: { type: string } & Values, given?: Json): string[] {
  const result = check(prop, given);
  return result.ok ? [] : result.issues.map(({ message }) => message);
}

const timer = { type: "$.interface.timer" };

test.for<[{ type: string } & Values, Json | undefined, Json]>([
  [timer, { intervalSeconds: 15 }, { cron: null, interval_seconds: 15 }],
  [timer, { interval_seconds: 900 }, { cron: null, interval_seconds: 900 }],
  [timer, { cron: "0 9 * * 1" }, { cron: "0 9 * * 1" }],
  [timer, { cron: "5/15 * * * *" }, { cron: "5/15 * * * *" }],
  [
    timer,
    { cron: "*/20 * * * * *", timezone: "Europe/Berlin" },
    { cron: "*/20 * * * * *", timezone: "Europe/Berlin" },
  ],
  [{ ...timer, default: { intervalSeconds: 60 } }, undefined, { cron: null, interval_seconds: 60 }],
  [
    { ...timer, static: { intervalSeconds: 60 } },
    { intervalSeconds: 900 },
    { cron: null, interval_seconds: 60 },
  ],
])("a timer %j with the value %j is %j", ([prop, given, stored]) => {
  expect(check(prop, given)).toEqual({ ok: true, values: { x: stored } });
  expect(check(prop, stored)).toEqual({ ok: true, values: { x: stored } });
});

test.for<[Json | undefined, RegExp]>([
  [undefined, /is required/],
  [{}, /either/],
  [60, /must be an object/],
  [{ intervalSeconds: 60, cron: "* * * * *" }, /either/],
  [{ intervalSeconds: 14 }, /at least 15/],
  [{ intervalSeconds: 15.5 }, /integer/],
  [{ intervalSeconds: "60" }, /integer/],
  [{ cron: "* * * *" }, /5 or 6 fields/],
  [{ cron: "* * * * * * *" }, /5 or 6 fields/],
  [{ cron: "@daily" }, /5 or 6 fields/],
  [{ cron: "61 * * * *" }, /not an expression/],
  [{ cron: "5/0 * * * *" }, /not an expression/],
  [{ cron: "0/5 * * * * *" }, /within 15 seconds/],
  [{ cron: "0 0 30 2 *" }, /never matches/],
  [{ cron: "*/10 * * * * *" }, /within 15 seconds/],
  [{ cron: "0,50 * * * * *" }, /within 15 seconds/],
  [{ cron: "* * * * *", timezone: "Mars/Olympus" }, /time zone/],
])("a timer rejects %j", ([given, message]) => {
  expect(problems(timer, given)).toEqual([expect.stringMatching(message)]);
});

test("an optional timer may have no schedule", () => {
  expect(check({ ...timer, optional: true })).toEqual({ ok: true, values: {} });
});

import { expect, test } from "vitest";

import {
  firstRunMs,
  nextRunMs,
  scheduleOf,
  tickEvent,
  workflowTickEvent,
} from "#domain/schedule.ts";

const minute = { intervalSeconds: 60 };
const ms = (iso: string) => Date.parse(iso);

test("an interval fires at once, and a cron expression at its next match", () => {
  const nowMs = ms("2026-03-02T07:30:00Z");
  expect(firstRunMs(minute, nowMs)).toBe(nowMs);
  expect(firstRunMs({ cron: "0 9 * * *", timezone: "UTC" }, nowMs)).toBe(
    ms("2026-03-02T09:00:00Z"),
  );
});

test.for([
  ["on time", 60_000, 60_000, 120_000],
  ["a little late", 60_000, 61_500, 120_000],
  ["after a long stop", 60_000, 60_000 * 10 + 5, 60_000 * 11],
] as const)(
  "an interval that fires %s is next due once and in phase",
  ([, dueMs, nowMs, nextMs]) => {
    expect(nextRunMs(minute, dueMs, nowMs)).toBe(nextMs);
  },
);

test.for([
  // In Berlin, clocks change on 2026-03-29 and on 2026-10-25.
  ["2026-03-28T08:00:00Z", "2026-03-29T07:00:00Z"],
  ["2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z"],
] as const)("the next nine o'clock in Berlin after %s is %s", ([now, next]) => {
  const schedule = { cron: "0 9 * * *", timezone: "Europe/Berlin" };
  expect(nextRunMs(schedule, ms(now), ms(now))).toBe(ms(next));
});

test("the first of six fields is seconds", () => {
  const schedule = { cron: "*/20 * * * * *", timezone: "UTC" };
  expect(nextRunMs(schedule, 1000, 1000)).toBe(20_000);
});

test.for<[string, string]>([
  ["0 1/3 * * *", "0 1-23/3 * * *"],
  ["5/15 * * * *", "5-59/15 * * * *"],
  ["0 0/2 * * *", "0 0-23/2 * * *"],
  ["0 9 1/2 * *", "0 9 1-31/2 * *"],
  ["0 9 * FEB/4 *", "0 9 * 2-12/4 *"],
  ["0 9 * * 1/2", "0 9 * * 1-6/2"],
  ["0/20 * * * * *", "0-59/20 * * * * *"],
  ["0 1/12,4/12 * * *", "0 1-23/12,4-23/12 * * *"],
])("a start with a step runs to the end of its field: %s", ([given, same]) => {
  const ticksOf = (cron: string) => {
    const ticks: (number | undefined)[] = [];
    let at: number | undefined = ms("2026-01-01T00:00:00Z");
    while (at !== undefined && ticks.length < 30) {
      at = nextRunMs({ cron, timezone: "UTC" }, at, at);
      ticks.push(at);
    }
    return ticks;
  };
  expect(ticksOf(given)).toEqual(ticksOf(same));
});

test("a timer's value determines its schedule and the event of a tick", () => {
  const cron = scheduleOf({ cron: "0 9 * * 1", interval_seconds: null });
  expect(cron).toEqual({ cron: "0 9 * * 1", timezone: "UTC" });
  const interval = scheduleOf({ cron: null, interval_seconds: 60 });
  expect(interval && tickEvent(interval, 1500)).toEqual({ timestamp: 1, interval_seconds: 60 });
  expect(cron && tickEvent(cron, 2000)).toEqual({ timestamp: 2, cron: "0 9 * * 1" });
  expect(scheduleOf(undefined)).toBeUndefined();
});

test("the tick of a workflow has its time in the schedule's time zone and in UTC", () => {
  const berlin = { cron: "0 9 * * *", timezone: "Europe/Berlin" };
  const utc = { timestamp: "2026-07-01T22:30:05+00:00", date: "2026-07-01", time: "22:30:05" };
  expect(workflowTickEvent(berlin, ms("2026-07-01T22:30:05Z"))).toEqual({
    timestamp: 1_782_945_005,
    cron: "0 9 * * *",
    timezone_configured: {
      timezone: "Europe/Berlin",
      iso8601: { timestamp: "2026-07-02T00:30:05+02:00", date: "2026-07-02", time: "00:30:05" },
    },
    timezone_utc: { timezone: "UTC", iso8601: utc },
  });
  expect(workflowTickEvent(minute, ms("2026-07-01T22:30:05Z"))).toMatchObject({
    interval_seconds: 60,
    timezone_configured: { timezone: "UTC", iso8601: utc },
  });
});

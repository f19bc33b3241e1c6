import { Cron } from "croner";

import type { Json } from "./json.ts";

/** The schedule by which a timer prop triggers its source (docs/contract.md: Timer). */
export type Schedule =
  | { readonly intervalSeconds: number }
  | { readonly cron: string; readonly timezone: string };

/** A timer prop, the time of its next tick in epoch milliseconds, and its schedule. */
export type Tick = { prop: string; dueMs: number; schedule: Schedule };

/** Read a timer prop's value, `{cron, interval_seconds, timezone?}`, as a schedule; undefined if it has none. */
export function scheduleOf(value: Json | undefined): Schedule | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { cron, interval_seconds: intervalSeconds, timezone } = value;
  if (typeof cron === "string")
    return { cron, timezone: typeof timezone === "string" ? timezone : "UTC" };
  return typeof intervalSeconds === "number" ? { intervalSeconds } : undefined;
}

/** The first time of a timer that starts now: at once for an interval, at the next match for a cron expression. */
export function firstRunMs(schedule: Schedule, nowMs: number): number | undefined {
  return "cron" in schedule ? nextMatchMs(schedule, nowMs) : nowMs;
}

/** The next time of a timer. Ticks missed during downtime are skipped; an interval keeps its phase. */
export function nextRunMs(schedule: Schedule, dueMs: number, nowMs: number): number | undefined {
  if ("cron" in schedule) return nextMatchMs(schedule, Math.max(dueMs, nowMs));
  const intervalMs = schedule.intervalSeconds * 1000;
  const missed = Math.max(0, Math.floor((nowMs - dueMs) / intervalMs));
  return dueMs + (missed + 1) * intervalMs;
}

/** The time at which a timer whose next tick does not begin misses a second one; undefined: there is no second one. */
export function secondMissMs({ dueMs, schedule }: Tick): number | undefined {
  return nextRunMs(schedule, dueMs, dueMs);
}

/** The event of a tick for `run`; its timestamp is in epoch seconds. */
export function tickEvent(schedule: Schedule, dueMs: number): Json {
  const timestamp = Math.floor(dueMs / 1000);
  return "cron" in schedule
    ? { timestamp, cron: schedule.cron }
    : { timestamp, interval_seconds: schedule.intervalSeconds };
}

/** The event of a workflow's timer: a tick, and its time for people in the time zone of the schedule and in UTC. */
export function workflowTickEvent(schedule: Schedule, dueMs: number): Json {
  const timezone = "cron" in schedule ? schedule.timezone : "UTC";
  return {
    ...Object(tickEvent(schedule, dueMs)),
    timezone_configured: zonedTime(dueMs, timezone),
    timezone_utc: zonedTime(dueMs, "UTC"),
  };
}

/** A time as ISO 8601 in a time zone, with its date and its time of day. */
function zonedTime(ms: number, timezone: string): { [key: string]: Json } {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: timezone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    timeZoneName: "longOffset",
  });
  const parts = new Map<string, string>(
    format.formatToParts(ms).map(({ type, value }) => [type, value]),
  );
  const [date, time] = [
    ["year", "month", "day"].map((type) => parts.get(type)).join("-"),
    ["hour", "minute", "second"].map((type) => parts.get(type)).join(":"),
  ];
  const offset = (parts.get("timeZoneName") ?? "").replace("GMT", "") || "+00:00";
  return { timezone, iso8601: { timestamp: `${date}T${time}${offset}`, date, time } };
}

function nextMatchMs(
  { cron, timezone }: { cron: string; timezone: string },
  afterMs: number,
): number | undefined {
  return cronOf(cron, timezone).nextRun(new Date(afterMs))?.getTime();
}

/** A cron expression. `5/15` in a field means from 5 to its end in steps of 15, as in other crons. */
export function cronOf(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, paused: true, sloppyRanges: true });
}

import type { PropDefinition } from "./definition.ts";
import { errorMessage } from "./errors.ts";
import type { Json } from "./json.ts";
import { cronOf } from "./schedule.ts";

/** No timer fires more often (docs/contract.md: Timer). */
const MIN_INTERVAL_SECONDS = 15;

/** Maximum matches of a cron expression that are searched for two that follow each other too soon. */
const MATCHES_LOOKED_AT = 120;

/** The parsed value for storage, or the rule that it violates. */
export type Checked = { value: Json } | { problem: string };

/**
 * Check the value of a timer prop, or the component's own static schedule or default if it has none, and convert it to
 * `{cron: null, interval_seconds}` or `{cron, timezone?}`. Undefined: the prop has no schedule.
 */
export function checkTimer(prop: PropDefinition, given: Json | undefined): Checked | undefined {
  const schedule = prop["static"] ?? given ?? prop["default"];
  if (schedule === undefined || schedule === null) return undefined;
  if (typeof schedule !== "object" || Array.isArray(schedule))
    return { problem: "must be an object with intervalSeconds or cron" };
  return checkSchedule(schedule);
}

function checkSchedule(schedule: { [key: string]: Json }): Checked {
  const seconds = schedule["intervalSeconds"] ?? schedule["interval_seconds"] ?? null;
  const cron = schedule["cron"] ?? null;
  if ((seconds === null) === (cron === null))
    return { problem: "needs either intervalSeconds or cron" };
  return cron === null ? checkInterval(seconds) : checkCron(cron, schedule["timezone"] ?? null);
}

function checkInterval(seconds: Json): Checked {
  if (typeof seconds !== "number" || !Number.isSafeInteger(seconds))
    return { problem: "intervalSeconds must be an integer" };
  if (seconds < MIN_INTERVAL_SECONDS)
    return { problem: `intervalSeconds must be at least ${MIN_INTERVAL_SECONDS}` };
  return { value: { cron: null, interval_seconds: seconds } };
}

function checkCron(cron: Json, timezone: Json): Checked {
  if (timezone !== null && !isTimezone(timezone))
    return { problem: "timezone must be the name of a time zone, such as Europe/Berlin" };
  const problem = problemOfCron(cron);
  if (problem !== undefined) return { problem };
  return { value: { cron, ...(timezone !== null && { timezone }) } };
}

function problemOfCron(cron: Json): string | undefined {
  const fields = typeof cron === "string" ? cron.trim().split(/\s+/).length : 0;
  if (typeof cron !== "string" || fields < 5 || fields > 6)
    return "cron must be an expression of 5 or 6 fields";
  try {
    const matches = cronOf(cron, "UTC").nextRuns(MATCHES_LOOKED_AT);
    return problemOfMatches(matches);
  } catch (error) {
    return `cron is not an expression: ${errorMessage(error)}`;
  }
}

function problemOfMatches(matches: readonly Date[]): string | undefined {
  if (matches.length === 0) return "cron never matches";
  return shortestGapSeconds(matches) < MIN_INTERVAL_SECONDS
    ? `cron must not match twice within ${MIN_INTERVAL_SECONDS} seconds`
    : undefined;
}

function shortestGapSeconds(times: readonly Date[]): number {
  const gaps = times.slice(1).map((time, index) => {
    const previous = times[index] ?? time;
    return (time.getTime() - previous.getTime()) / 1000;
  });
  return Math.min(Number.POSITIVE_INFINITY, ...gaps);
}

function isTimezone(value: Json): boolean {
  if (typeof value !== "string") return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: value }).format(0) !== "";
  } catch {
    return false;
  }
}

import { invalidInput, type RequestError } from "#domain/errors.ts";
import type { Json } from "#domain/json.ts";
import { firstRunMs, nextRunMs, scheduleOf } from "#domain/schedule.ts";
import { checkTimer } from "#domain/timer-prop.ts";

/** A schedule as it is configured: a cron expression with its time zone, or an interval. */
type Given = {
  cron?: string | undefined;
  timezone?: string | undefined;
  interval_seconds?: number | undefined;
};

/** When a timer fires next that starts now, epoch milliseconds. Refuses invalid values of timer props. */
export function previewTimer(given: Given, count: number, nowMs: number): number[] {
  // Fields that are undefined are left out.
  const value: Json = JSON.parse(JSON.stringify(given));
  const checked = checkTimer({ name: "timer", type: "$.interface.timer" }, value);
  if (!checked || "problem" in checked) throw refusal(checked?.problem ?? "is required");
  const schedule = scheduleOf(checked.value);
  if (!schedule) throw refusal("is required");
  const ticks: number[] = [];
  let next = firstRunMs(schedule, nowMs);
  while (next !== undefined && ticks.length < count) {
    ticks.push(next);
    next = nextRunMs(schedule, next, next);
  }
  return ticks;
}

/** The message begins with the name of the invalid field, or names the missing one. */
function refusal(problem: string): RequestError {
  const [name = "", ...rule] = problem.split(" ");
  const path = FIELDS.get(name);
  if (path === undefined) return invalidInput([{ path: "cron", message: problem }]);
  return invalidInput([{ path, message: rule.join(" ") }]);
}

/** The names that rules of timer props begin with, and the parameters of those. */
const FIELDS = new Map([
  ["cron", "cron"],
  ["timezone", "timezone"],
  ["intervalSeconds", "interval_seconds"],
]);

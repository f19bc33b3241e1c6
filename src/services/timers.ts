import { invalidInput, type RequestError } from "#domain/errors.ts";
import type { Json } from "#domain/json.ts";
import { firstRunMs, nextRunMs, scheduleOf } from "#domain/schedule.ts";
import { checkTimer } from "#domain/timer-prop.ts";

/** A configured schedule: a cron expression with its time zone, or an interval. */
type Given = {
  cron?: string | undefined;
  timezone?: string | undefined;
  interval_seconds?: number | undefined;
};

/** The next time of a timer that starts now, epoch milliseconds. Refuses invalid values of timer props. */
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

/** The first words of the rules of timer props, and the parameters that they are about. */
const FIELDS = new Map([
  ["cron", "cron"],
  ["timezone", "timezone"],
  ["intervalSeconds", "interval_seconds"],
]);

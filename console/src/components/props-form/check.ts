import { draftIn, withoutDrafts } from "./draft.ts";
import { isObject, isRequired, type PropSpec, type Values } from "./spec.ts";

const MIN_INTERVAL_SECONDS = 15;

type Rule = (value: unknown, spec: PropSpec) => string | undefined;

/** By type: the violated rule of a value, if any. The API checks the same rules, and more. */
const RULES: Record<string, Rule> = {
  integer: problemOfInteger,
  number: problemOfNumber,
  object: (value) => (isObject(value) ? undefined : "must be a JSON object"),
  "$.interface.timer": problemOfTimer,
  http_request: (value) =>
    isObject(value) && isHttpUrl(value["url"]) ? undefined : "its URL must begin with https://",
  sql: (value) =>
    isObject(value) && typeof value["query"] === "string" && value["query"].trim() !== ""
      ? undefined
      : "needs a query",
};

/** Errors of the values by prop. `kept`: secrets that are stored already. */
export function problemsOf(
  specs: readonly PropSpec[],
  values: Values,
  kept: ReadonlySet<string>,
): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const spec of specs) {
    const problem = problemOf(spec, values[spec.name], kept.has(spec.name));
    if (problem !== undefined) problems[spec.name] = problem;
  }
  return problems;
}

/** The values to evaluate a component with: complete and valid ones. */
export function validValues(specs: readonly PropSpec[], values: Values): Values {
  const complete = withoutDrafts(values);
  const problems = problemsOf(specs, complete, new Set());
  const valid = Object.entries(complete).filter(
    ([name, value]) => value === null || !(name in problems),
  );
  return Object.fromEntries(valid);
}

function problemOf(spec: PropSpec, value: unknown, isKept: boolean): string | undefined {
  if ((value ?? undefined) === undefined)
    return isRequired(spec) && !isKept ? "is required" : undefined;
  if (value === spec.default) return undefined;
  return draftIn(value)?.problem ?? problemOfValue(spec, value);
}

function problemOfValue(spec: PropSpec, value: unknown): string | undefined {
  if (!spec.isList || !Array.isArray(value)) return problemOfOne(spec, value);
  for (const [index, element] of value.entries()) {
    const problem = problemOfOne(spec, element);
    if (problem !== undefined) return `its value ${index + 1} ${problem}`;
  }
  return undefined;
}

/** A component may return texts as choices of a number. */
function problemOfOne(spec: PropSpec, value: unknown): string | undefined {
  const isChoice = spec.hasRemoteChoices && typeof value === "string";
  return isChoice ? undefined : RULES[spec.type]?.(value, spec);
}

function problemOfInteger(value: unknown, spec: PropSpec): string | undefined {
  return Number.isSafeInteger(value) ? problemOfNumber(value, spec) : "must be an integer";
}

function problemOfNumber(value: unknown, { min, max }: PropSpec): string | undefined {
  if (typeof value !== "number") return "must be a number";
  if (min !== undefined && value < min) return `must be at least ${min}`;
  if (max !== undefined && value > max) return `must be at most ${max}`;
  return undefined;
}

function problemOfTimer(value: unknown): string | undefined {
  const { cron, intervalSeconds } = scheduleOf(value);
  if (cron !== undefined) {
    const fields = cron.trim().split(/\s+/).length;
    return fields === 5 || fields === 6 ? undefined : "needs a cron expression of 5 or 6 fields";
  }
  if (intervalSeconds === undefined) return "needs an interval or a cron expression";
  if (!Number.isSafeInteger(intervalSeconds)) return "must be whole seconds";
  return intervalSeconds < MIN_INTERVAL_SECONDS
    ? `must be at least ${MIN_INTERVAL_SECONDS} seconds`
    : undefined;
}

/** The schedule of a timer. */
export type Schedule = { cron?: string; timezone?: string; intervalSeconds?: number };

/** Read the value of a timer, in either spelling. */
export function scheduleOf(value: unknown): Schedule {
  if (!isObject(value)) return {};
  const { cron, timezone, intervalSeconds = value["interval_seconds"] } = value;
  return {
    ...(typeof cron === "string" && { cron }),
    ...(typeof timezone === "string" && { timezone }),
    ...(typeof intervalSeconds === "number" && { intervalSeconds }),
  };
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\/./.test(value);
}

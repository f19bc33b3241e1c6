import { z } from "@hono/zod-openapi";

type RawIssue = z.core.$ZodRawIssue;
type Code = z.core.$ZodIssue["code"];
type Messages = { [C in Code]?: (issue: RawIssue & { code: C }) => string };

const TYPES: Record<string, string> = {
  array: "a list",
  boolean: "true or false",
  int: "a whole number",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "text",
};

const FORMATS: Record<string, string> = {
  datetime: "a date and time, such as 2026-01-31T12:00:00Z",
  date: "a date, such as 2026-01-31",
  email: "an email address",
  url: "a URL",
  uuid: "a UUID",
};

const UNITS: Record<string, string> = {
  array: "entries",
  file: "bytes",
  map: "entries",
  set: "entries",
  string: "characters",
};

const MESSAGES: Messages = {
  invalid_type: ({ input, expected }) =>
    input === undefined ? "is required" : `must be ${typeNamed(expected)}${unlike(input)}`,
  invalid_value: ({ input, values }) => {
    if (input === undefined) return "is required";
    const named = values.map((value) => JSON.stringify(value)).join(", ");
    return values.length === 1 ? `must be ${named}` : `must be one of ${named}`;
  },
  invalid_format: ({ format }) => {
    const form = FORMATS[format];
    return form === undefined ? "has the wrong format" : `must be ${form}`;
  },
  invalid_union: ({ input }) =>
    input === undefined ? "is required" : "has none of the forms that it may have",
  too_small: ({ origin, minimum, inclusive }) => bound({ origin, value: minimum, inclusive }, LOW),
  too_big: ({ origin, maximum, inclusive }) => bound({ origin, value: maximum, inclusive }, HIGH),
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
};

type Bound = { origin: string; value: unknown; inclusive: boolean | undefined };

const LOW = { inclusive: "at least", exclusive: "more than" };
const HIGH = { inclusive: "at most", exclusive: "less than" };

function bound({ origin, value, inclusive = true }: Bound, words: typeof LOW): string {
  const unit = UNITS[origin];
  const limit = `${inclusive ? words.inclusive : words.exclusive} ${String(value)}`;
  if (unit === undefined) return `must be ${limit}`;
  return words === LOW && value === 1 ? "must not be empty" : `must have ${limit} ${unit}`;
}

function typeNamed(expected: string): string {
  return TYPES[expected] ?? `a ${expected}`;
}

/** The received value. Not for an invalid number: it was sent as text, or is absent. */
function unlike(input: unknown): string {
  if (typeof input === "number" && !Number.isFinite(input)) return "";
  if (input === null) return ", not null";
  const type = Array.isArray(input) ? "array" : typeof input;
  return `, not ${typeNamed(type)}`;
}

/** The error message of a field: after its name, without zod's own terms. */
function messageOf(issue: RawIssue): string | undefined {
  const message: ((one: never) => string) | undefined = Reflect.get(MESSAGES, issue.code ?? "");
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The table is keyed by the code of the issue.
  return message?.(issue as never);
}

z.config({ customError: messageOf });

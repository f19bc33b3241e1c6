import { misuse } from "../failure.ts";
import type { Prop } from "../wire.ts";

export type Values = Record<string, unknown>;

/** Props that the platform sets. */
const FILLED_IN = /^(?:\$\.service\.|\$\.interface\.(?:http|apphook)$|alert$|dir$|http_request$)/;

/** Collect repeated `--prop name=value`. */
export function collect(given: string, before: readonly string[] = []): string[] {
  return [...before, given];
}

/** The values of `--prop name=value`, by the types of the props. Refuses a prop that the component lacks. */
export function valuesOf(given: readonly string[], props: readonly Prop[]): Values {
  return Object.fromEntries(
    given.map((one) => {
      const [, name, text] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
      if (name === undefined || text === undefined)
        throw misuse(`--prop ${one} has no value`, "write --prop name=value");
      const prop = props.find((each) => each.name === name);
      if (!prop) throw misuse(`There is no prop ${name}`, `the props are ${namesOf(props)}`);
      return [name, valueOf(text, prop)];
    }),
  );
}

/** Parsers of a text, by the type of its prop; texts of other types are parsed as JSON, or else kept unchanged. */
const READERS: Record<string, (text: string, name: string) => unknown> = {
  string: (text) => text,
  sql: (text) => text,
  app: (text) => ({ authProvisionId: text }),
  "$.interface.timer": timerOf,
  "string[]": listOf,
  integer: (text, name) => checked(text, name, { rule: "an integer", holds: Number.isInteger }),
  boolean: (text, name) => checked(text, name, { rule: "true or false", holds: isBoolean }),
};

/** The value of a text, by the type of its prop. */
export function valueOf(text: string, { name, type }: Prop): unknown {
  const reader = READERS[type];
  return reader ? reader(text, name) : parsedOrText(text);
}

function listOf(text: string): unknown {
  const parsed = parsedOrText(text);
  return Array.isArray(parsed) ? parsed : text.split(",");
}

function checked(
  text: string,
  name: string,
  { rule, holds }: { rule: string; holds: (value: unknown) => boolean },
): unknown {
  const value = parsedOrText(text);
  if (!holds(value)) throw misuse(`--prop ${name} is ${rule}, not ${JSON.stringify(text)}`);
  return value;
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

/** Seconds, a cron expression, or the object itself. */
export function timerOf(text: string): unknown {
  if (/^\d+$/.test(text)) return { intervalSeconds: Number(text) };
  const parsed = parsedOrText(text);
  return typeof parsed === "string" ? { cron: parsed } : parsed;
}

/** The missing props: required ones without a value and without a default. */
export function missingIn(props: readonly Prop[], values: Values): Prop[] {
  return props.filter(
    (prop) =>
      !FILLED_IN.test(prop.type) &&
      !prop.optional &&
      !prop.hidden &&
      prop.default === undefined &&
      values[prop.name] === undefined,
  );
}

/** Refuse to continue without values that only a person can enter. */
export function refuseMissing(missing: readonly Prop[]): void {
  const [first] = missing;
  if (!first) return;
  const next = `give it as --prop ${first.name}=${exampleOf(first)}, or run it on a terminal`;
  throw misuse(`Props are missing: ${namesOf(missing)}`, next);
}

function exampleOf({ type, app }: Prop): string {
  if (type === "app") return `apn_… (listed by \`wellspring accounts list --app ${app ?? "…"}\`)`;
  return type === "integer" ? "1" : "…";
}

function namesOf(props: readonly Prop[]): string {
  return props.map(({ name }) => name).join(", ") || "none";
}

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

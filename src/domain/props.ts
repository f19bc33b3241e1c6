import {
  APPHOOK,
  DB_SERVICE,
  HTTP_INTERFACE,
  type PropDefinition,
  TIMER_INTERFACE,
} from "./definition.ts";
import type { Issue } from "./errors.ts";
import type { Json } from "./json.ts";
import { asChosen, checkValue, needsValue } from "./prop-values.ts";
import { MAX_CONFIGURATION_BYTES } from "./row-size.ts";
import { checkTimer } from "./timer-prop.ts";

export type Values = Record<string, Json>;

/** The result of checking configured values: the values to store, or every rule that they break. */
export type PropsCheckResult = { ok: true; values: Values } | { ok: false; issues: Issue[] };

/** All of a source's values together have to fit a row of storage. */
const MAX_VALUES_BYTES = MAX_CONFIGURATION_BYTES;

/** Props that the platform itself fills. Values that a caller sends back from a response are ignored. */
const FILLED_BY_PLATFORM = new Set([DB_SERVICE, HTTP_INTERFACE, APPHOOK, "alert", "dir"]);

/**
 * Check the values that a caller gave for a component's props, and complete them with defaults
 * (docs/contract.md: Prop types). `null` counts as absent. Checking the result again changes nothing.
 */
export function checkProps(props: readonly PropDefinition[], given: Values): PropsCheckResult {
  const names = new Set(props.map(({ name }) => name));
  const undeclared = Object.keys(given).filter((name) => !names.has(name));
  const issues = undeclared.map((name) => issue(name, "is not a prop of the component"));
  const values = new Map<string, Json>();
  for (const prop of props) {
    const checked = checkProp(prop, ownValue(given, prop.name));
    if ("problem" in checked) issues.push(issue(prop.name, checked.problem));
    else if (checked.value !== undefined) values.set(prop.name, checked.value);
  }
  return issues.length > 0 ? { ok: false, issues } : withinLimit(Object.fromEntries(values));
}

/** As `checkProps`, while more props may be added: a value without a prop so far may be anything. */
export function checkDeclared(props: readonly PropDefinition[], given: Values): PropsCheckResult {
  const names = new Set(props.map(({ name }) => name));
  const undeclared = Object.keys(given).filter((name) => !names.has(name));
  const awaited = undeclared.map((name) => ({ name, type: "any", optional: true }));
  return checkProps([...props, ...awaited], given);
}

/** As `checkDeclared`, for an incomplete form: no value is required yet. */
export function checkUnfinished(props: readonly PropDefinition[], given: Values): PropsCheckResult {
  return checkDeclared(
    props.map((prop) => ({ ...prop, optional: true })),
    given,
  );
}

/** The props that `additionalProps` added or changed. */
export function additionalProps(
  declared: readonly PropDefinition[],
  props: readonly PropDefinition[],
): PropDefinition[] {
  const known = new Map(declared.map((prop) => [prop.name, JSON.stringify(prop)]));
  return props.filter((prop) => known.get(prop.name) !== JSON.stringify(prop));
}

/** Merge new values into stored ones. Stored values of removed props are dropped. */
export function mergeValues(
  props: readonly PropDefinition[],
  stored: Values,
  given: Values,
): Values {
  const names = new Set(props.map(({ name }) => name));
  const kept = Object.entries(stored).filter(([name]) => names.has(name));
  return { ...Object.fromEntries(kept), ...given };
}

/** The names of the props with secret values. */
export function secretProps(props: readonly PropDefinition[]): Set<string> {
  return new Set(props.filter(({ secret }) => secret === true).map(({ name }) => name));
}

/** The values of a source without its secrets, for responses. */
export function shownValues(props: readonly PropDefinition[], values: Values): Values {
  const secrets = secretProps(props);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !secrets.has(name)));
}

/** Undefined: the prop has no value, and needs none. */
type Outcome = { value: Json | undefined } | { problem: string };

const NOTHING: Outcome = { value: undefined };

function checkProp(prop: PropDefinition, given: Json | undefined): Outcome {
  if (FILLED_BY_PLATFORM.has(prop.type)) return NOTHING;
  if (prop.type === TIMER_INTERFACE) return checkTimer(prop, given) ?? absent(prop);
  if (given !== undefined) return checkValue(given, prop);
  const byDefault = ownValue(prop, "default");
  if (byDefault !== undefined) return { value: asChosen(byDefault, prop) };
  return needsValue(prop.type) ? absent(prop) : NOTHING;
}

function absent(prop: PropDefinition): Outcome {
  return mayBeAbsent(prop) ? NOTHING : { problem: "is required" };
}

/** Whether a prop needs no value: it is optional, hidden, or cannot be filled in. */
export function mayBeAbsent({ optional, hidden, disabled }: PropDefinition): boolean {
  return [optional, hidden, disabled].includes(true);
}

/** A value by name; null counts as none. */
function ownValue(values: Values, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? (values[name] ?? undefined) : undefined;
}

function withinLimit(values: Values): PropsCheckResult {
  if (new TextEncoder().encode(JSON.stringify(values)).length <= MAX_VALUES_BYTES)
    return { ok: true, values };
  const message = `all values together must be at most ${MAX_VALUES_BYTES} bytes`;
  return { ok: false, issues: [{ path: "configured_props", message }] };
}

function issue(name: string, message: string): Issue {
  return { path: `configured_props.${name}`, message };
}

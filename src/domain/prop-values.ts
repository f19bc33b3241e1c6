import { staticChoices } from "./choices.ts";
import { DATA_STORE, type PropDefinition } from "./definition.ts";
import { isId } from "./ids.ts";
import { isJsonObject, type Json } from "./json.ts";
import { problemOfRequest } from "./request-prop.ts";
import { checkSql } from "./sql-prop.ts";
import type { Checked } from "./timer-prop.ts";

/** Maximum size of one value as JSON (docs/contract.md: Prop types). */
const MAX_VALUE_BYTES = 64 * 1024;

type Rule = (value: Json, prop: PropDefinition) => string | undefined;

/** By type: the rule that a value breaks, if any. Other types accept any value. */
const RULES: Record<string, Rule> = {
  string: (value) => (typeof value === "string" ? undefined : "must be a string"),
  boolean: (value) => (typeof value === "boolean" ? undefined : "must be true or false"),
  integer: problemOfInteger,
  number: problemOfNumber,
  object: (value) => (isJsonObject(value) ? undefined : "must be an object"),
  any: () => undefined,
  [DATA_STORE]: problemOfStore,
  http_request: problemOfRequest,
  // `checkSql` checks and completes it.
  sql: () => undefined,
};

/** Whether a prop of this type requires a value unless it is optional. */
export function needsValue(type: string): boolean {
  return Object.hasOwn(RULES, elementType(type));
}

/** Check one value against its prop, and convert it to the form that the component receives. */
export function checkValue(given: Json, prop: PropDefinition): Checked {
  if (sizeOf(given) > MAX_VALUE_BYTES) return { problem: "must be at most 64 KB" };
  if (prop.type === "app") return checkApp(given);
  if (prop.type === "sql") return checkSql(given);
  return prop.type.endsWith("[]") ? checkList(given, prop) : checkOne(given, prop);
}

function checkList(given: Json, prop: PropDefinition): Checked {
  const list = listOf(given);
  if (list === undefined) return { problem: "must be a list" };
  const values: Json[] = [];
  for (const [index, element] of list.entries()) {
    const checked = checkOne(element, prop);
    if ("problem" in checked) return { problem: `its element ${index} ${checked.problem}` };
    values.push(checked.value);
  }
  return { value: values };
}

/** The elements of a list, with labels for each of them or for all. */
function listOf(given: Json): Json[] | undefined {
  if (Array.isArray(given)) return given;
  const pairs = labelled(given);
  return Array.isArray(pairs) ? pairs.map((pair) => ({ __lv: pair })) : undefined;
}

function checkOne(given: Json, prop: PropDefinition): Checked {
  const { value } = choiceOf(given, prop);
  const problem = mayBeOffered(value, prop)
    ? undefined
    : (problemOfType(value, prop) ?? problemOfChoice(value, prop));
  return problem === undefined ? { value: asChosen(given, prop) } : { problem };
}

/** A value as the component receives it: alone, or under `withLabel` with the label of the choice. */
export function asChosen(given: Json, prop: PropDefinition): Json {
  if (Array.isArray(given)) return given.map((element) => asChosen(element, prop));
  const { label, value } = choiceOf(given, prop);
  if (prop["withLabel"] !== true) return value;
  return { label: label ?? writtenLabel(value, prop) ?? textOf(value), value };
}

/** The label of a value among the static options of its prop. */
function writtenLabel(value: Json, prop: PropDefinition): string | undefined {
  const written = staticChoices(prop)?.options ?? [];
  return written.find((choice) => isSame(choice.value, value))?.label;
}

/** A value, and the label of the choice, if it has one. */
function choiceOf(given: Json, prop: PropDefinition): { label?: Json | undefined; value: Json } {
  const pair = labelled(given) ?? (prop["withLabel"] === true ? given : undefined);
  if (!isJsonObject(pair) || !("value" in pair)) return { value: given };
  return { label: pair["label"], value: pair["value"] ?? null };
}

/** The content of `{__lv: …}`, the form of choices with labels. */
function labelled(given: Json): Json | undefined {
  return isJsonObject(given) ? given["__lv"] : undefined;
}

function checkApp(given: Json): Checked {
  const account = isJsonObject(given) ? given["authProvisionId"] : undefined;
  return typeof account === "string" && isId("account", account)
    ? { value: { authProvisionId: account } }
    : { problem: 'must be an object like {"authProvisionId": "apn_…"}' };
}

function problemOfType(value: Json, prop: PropDefinition): string | undefined {
  return RULES[elementType(prop.type)]?.(value, prop);
}

function problemOfStore(value: Json): string | undefined {
  if (typeof value === "string" && isId("data_store", value)) return undefined;
  return "must be the id of a data store, such as ds_5d0";
}

/** Types of texts and numbers, whose choices may be of the other one: APIs number what components declare as texts. */
const OFFERED_TYPES = new Set(["string", "integer", "number"]);

/** Whether a value is one of the static choices of its prop, or may be one that its `options()` returned. */
function mayBeOffered(value: Json, prop: PropDefinition): boolean {
  if (!OFFERED_TYPES.has(elementType(prop.type))) return false;
  if (prop["remoteOptions"] === true) return typeof value === "string" || typeof value === "number";
  return (staticChoices(prop)?.options ?? []).some((choice) => isSame(choice.value, value));
}

function problemOfInteger(value: Json, prop: PropDefinition): string | undefined {
  return Number.isSafeInteger(value) ? problemOfNumber(value, prop) : "must be an integer";
}

function problemOfNumber(value: Json, { min, max }: PropDefinition): string | undefined {
  if (typeof value !== "number") return "must be a number";
  if (typeof min === "number" && value < min) return `must be at least ${min}`;
  if (typeof max === "number" && value > max) return `must be at most ${max}`;
  return undefined;
}

function problemOfChoice(value: Json, prop: PropDefinition): string | undefined {
  const choices = (staticChoices(prop)?.options ?? []).map((choice) => choice.value);
  if (choices.length === 0 || choices.some((choice) => isSame(choice, value))) return undefined;
  const shown = choices.slice(0, 20).map((choice) => JSON.stringify(choice));
  return `must be one of ${shown.join(", ")}${choices.length > shown.length ? ", …" : ""}`;
}

function isSame(a: Json, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function elementType(type: string): string {
  return type.endsWith("[]") ? type.slice(0, -"[]".length) : type;
}

function sizeOf(value: Json): number {
  return new TextEncoder().encode(textOf(value)).length;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

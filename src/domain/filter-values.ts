import { isJsonObject, type Json } from "./json.ts";

/** The input of an expression (docs/contract.md: Filters). */
export type FilterScope = {
  /** The emitted value. */
  event: Json;
  /** The id, summary and time of the emission, if it has them. */
  id?: string | undefined;
  summary?: string | undefined;
  ts?: number | undefined;
  /** The channel; empty for the default one. */
  name: string;
  /** Id of the emitter. */
  source: string;
};

/** Maximum characters and elements that one evaluation may read. */
export const MAX_WORK = 4_000_000;

/** Maximum length of a text to search for: the time of a search may grow with it. */
const MAX_NEEDLE_LENGTH = 100;

/** The value of an expression; undefined: it is absent. */
export type Value = Json | undefined;

/** An evaluation of one event, and its remaining work. */
export type Evaluation = { scope: FilterScope; work: number };

/** Thrown to end an evaluation: the event does not match. */
class Mismatch extends Error {}

/** Thrown without a new stack: collecting one would cost more than a whole evaluation. */
const MISMATCH = new Mismatch();

/** Whether a value is undefined or null: it has no fields. */
export function isAbsent(value: Value): value is null | undefined {
  return value === undefined || value === null;
}

/** A field of the data itself, never one of a prototype. */
export function fieldOf(value: Value, key: Value): Value {
  if (isAbsent(value)) throw MISMATCH;
  if (typeof value === "string" || Array.isArray(value))
    return key === "length" ? value.length : elementOf(value, key);
  if (!isJsonObject(value) || !isKey(key)) return undefined;
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function elementOf(value: string | Json[], key: Value): Value {
  return typeof key === "number" ? value[key] : undefined;
}

function isKey(key: Value): key is number | string {
  return typeof key === "string" || typeof key === "number";
}

/** A number; any other value does not match. */
export function numberOf(value: Value): number {
  if (typeof value !== "number") throw MISMATCH;
  return value;
}

function textOf(value: Value, evaluation: Evaluation): string {
  if (typeof value !== "string") throw MISMATCH;
  spend(evaluation, value.length);
  return value;
}

function spend(evaluation: Evaluation, work: number): void {
  evaluation.work -= work + 1;
  if (evaluation.work < 0) throw MISMATCH;
}

function isEqual(left: Value, right: Value, evaluation: Evaluation): boolean {
  // Comparing lists or objects would be a walk through both.
  if ([left, right].every((value) => typeof value === "object" && value !== null)) throw MISMATCH;
  if (typeof left === "string" && typeof right === "string")
    spend(evaluation, left.length === right.length ? left.length : 0);
  return left === right;
}

function order(left: Value, right: Value, evaluation: Evaluation): number {
  if (typeof left === "string" && typeof right === "string") {
    spend(evaluation, Math.min(left.length, right.length));
    if (left === right) return 0;
    return left < right ? -1 : 1;
  }
  return numberOf(left) - numberOf(right);
}

type Operator = (left: Value, right: Value, evaluation: Evaluation) => Value;
const differs: Operator = (left, right, one) => !isEqual(left, right, one);

/** The operators of two operands. */
export const OPERATORS = new Map<string, Operator>([
  ["==", isEqual],
  ["===", isEqual],
  ["!=", differs],
  ["!==", differs],
  ["<", (left, right, one) => order(left, right, one) < 0],
  ["<=", (left, right, one) => order(left, right, one) <= 0],
  [">", (left, right, one) => order(left, right, one) > 0],
  [">=", (left, right, one) => order(left, right, one) >= 0],
  ["+", (left, right) => numberOf(left) + numberOf(right)],
  ["-", (left, right) => numberOf(left) - numberOf(right)],
  ["*", (left, right) => numberOf(left) * numberOf(right)],
  ["/", (left, right) => numberOf(left) / numberOf(right)],
  ["%", (left, right) => numberOf(left) % numberOf(right)],
  [
    "in",
    (key, value) => {
      if (typeof key !== "string" || !isJsonObject(value)) throw MISMATCH;
      return Object.hasOwn(value, key);
    },
  ],
]);

type Method = { takes: number; apply: Operator };

/** The methods of texts and lists, with the number of their arguments. */
export const METHODS = new Map<string, Method>([
  [
    "startsWith",
    { takes: 1, apply: (value, start, one) => textOf(value, one).startsWith(textOf(start, one)) },
  ],
  [
    "endsWith",
    { takes: 1, apply: (value, end, one) => textOf(value, one).endsWith(textOf(end, one)) },
  ],
  ["includes", { takes: 1, apply: includes }],
  ["toLowerCase", { takes: 0, apply: (value, _, one) => textOf(value, one).toLowerCase() }],
  ["toUpperCase", { takes: 0, apply: (value, _, one) => textOf(value, one).toUpperCase() }],
]);

function includes(value: Value, wanted: Value, evaluation: Evaluation): boolean {
  if (!Array.isArray(value)) {
    const needle = textOf(wanted, evaluation);
    if (needle.length > MAX_NEEDLE_LENGTH) throw MISMATCH;
    return textOf(value, evaluation).includes(needle);
  }
  if (typeof wanted === "object" && wanted !== null) throw MISMATCH;
  return value.some((element) => {
    spend(evaluation, 0);
    return typeof element === typeof wanted && isEqual(element, wanted, evaluation);
  });
}

import { isTooDeep } from "#domain/json-depth.ts";

import type { Outcome } from "./user-code.ts";

/** The rule of a field: whether it is optional, and its valid values. */
type Fields = Record<string, { isOptional: boolean; allows: (value: unknown) => boolean }>;

export const isText = (value: unknown) => typeof value === "string";
const isJsonText = (value: unknown) => typeof value === "string" && !isTooDeep(value);
const required = (allows: (value: unknown) => boolean) => ({ isOptional: false, allows });
const optional = (allows: (value: unknown) => boolean) => ({ isOptional: true, allows });
const absent = optional((value) => value === undefined);

const EMISSION: Fields = {
  payload: required(isJsonText),
  emittedAtMs: required(Number.isSafeInteger),
  id: optional(isText),
  name: optional(isText),
  summary: optional(isText),
  ts: optional(Number.isSafeInteger),
  deliveryTs: optional(Number.isSafeInteger),
};

const LINE: Fields = {
  level: required(isText),
  message: required(isText),
  atMs: required(Number.isSafeInteger),
};

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0;

// The schema validates steps that end or pause their run, or send something.
const STEP: Fields = { exports: required(isJsonText), sideEffects: required(isEmpty) };

const OUTCOME: Fields = {
  emitted: required((value) => isListOf(value, EMISSION)),
  db: required(isDbWrites),
  logs: required((value) => isListOf(value, LINE)),
  uncaught: optional(isEmpty),
  response: absent,
  failure: absent,
  step: optional((value) => value === undefined || hasOnly(value, STEP)),
};

/**
 * Whether an isolate's outcome is plainly valid: emissions, writes and log lines of the right shape, and nothing else.
 * If false, the full schema must validate it.
 */
export function isOrdinary(outcome: unknown): outcome is Outcome {
  return hasOnly(outcome, OUTCOME);
}

function hasOnly(value: unknown, fields: Fields): boolean {
  if (!isPlain(value)) return false;
  let left = Object.keys(value).length;
  for (const name in fields) {
    const field = fields[name];
    const isThere = Object.hasOwn(value, name);
    if (isThere) left -= 1;
    if (isThere ? !field?.allows(value[name]) : !field?.isOptional) return false;
  }
  return left === 0;
}

function isListOf(value: unknown, fields: Fields): boolean {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (!hasOnly(item, fields)) return false;
  return true;
}

export function isDbWrites(value: unknown): boolean {
  return isRecordOf(value, (text) => text === null || isText(text));
}

/** Whether all values of an object are valid. zod's records would lose the key `__proto__`. */
export function isRecordOf(value: unknown, allows: (value: unknown) => boolean): boolean {
  if (!isPlain(value)) return false;
  for (const one of Object.values(value)) if (!allows(one)) return false;
  return true;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

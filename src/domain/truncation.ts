import { isJsonObject, type Json, valueOf } from "./json.ts";
import { fitsBytes } from "./row-size.ts";

/** An event with more bytes of JSON is truncated, unless `expand` is requested (docs/contract.md: Event summaries). */
const SUMMARY_BYTES = 1024;

/** Maximum characters of a value, and maximum keys of an object, in a summary. */
const VALUE_LENGTH = 64;
const KEYS_SHOWN = 100;
/** Fields of an error that are never left out: it is useless without its message and its stack. */
const FAILURE_LENGTHS = new Map([
  ["message", 512],
  ["stack", 1024],
]);
const ELLIPSIS = "…";

/** Truncate larger JSON text, such as an event for a summary: its top-level keys, with long values shortened. */
export function truncate(
  payload: string,
  maxBytes = SUMMARY_BYTES,
): { payload: string; truncated: boolean } {
  if (fitsBytes(payload, maxBytes)) return { payload, truncated: false };
  return { payload: JSON.stringify(shorten(valueOf(payload))), truncated: true };
}

function shorten(event: Json): Json {
  if (Array.isArray(event)) return event.slice(0, KEYS_SHOWN).map(cut);
  if (typeof event !== "object" || event === null) return cut(event);
  const entries = Object.entries(event).slice(0, KEYS_SHOWN);
  return Object.fromEntries(
    entries.map(([key, value]) => [key, isFailure(key, value) ? cutFailure(value) : cut(value)]),
  );
}

/** The `error` of a record of `$errors`, which most readers need. */
function isFailure(key: string, value: Json): value is { [field: string]: Json } {
  return key === "error" && isJsonObject(value) && "message" in value && "stack" in value;
}

function cutFailure(error: { [field: string]: Json }): Json {
  const entries = Object.entries(error).slice(0, KEYS_SHOWN);
  return Object.fromEntries(
    entries.map(([field, value]) => [field, cut(value, FAILURE_LENGTHS.get(field))]),
  );
}

function cut(value: Json, length = VALUE_LENGTH): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= length) return value;
  return (
    text
      .slice(0, length)
      .toWellFormed()
      .replace(/\uFFFD$/, "") + ELLIPSIS
  );
}

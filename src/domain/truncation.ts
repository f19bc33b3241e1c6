import type { Json } from "./json.ts";

/** Beyond this many bytes of JSON an event is shown cut, unless it is asked for whole (spec: Limits). */
const SUMMARY_BYTES = 1024;

/** How much of a long value is shown, and how many keys of an object with very many. */
const VALUE_LENGTH = 64;
const KEYS_SHOWN = 100;
const ELLIPSIS = "…";

/** Cut an event, JSON text, to what a summary shows: its top-level keys, with long values shortened. */
export function truncate(payload: string): { payload: string; truncated: boolean } {
  if (fits(payload)) return { payload, truncated: false };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- whatever JSON.parse returns is Json.
  return { payload: JSON.stringify(shorten(JSON.parse(payload) as Json)), truncated: true };
}

function fits(payload: string): boolean {
  // A UTF-16 unit is one to three bytes of UTF-8, so most payloads are judged without encoding them.
  if (payload.length * 3 <= SUMMARY_BYTES) return true;
  if (payload.length > SUMMARY_BYTES) return false;
  return new TextEncoder().encode(payload).length <= SUMMARY_BYTES;
}

function shorten(event: Json): Json {
  if (Array.isArray(event)) return event.slice(0, KEYS_SHOWN).map(cut);
  if (typeof event !== "object" || event === null) return cut(event);
  const entries = Object.entries(event).slice(0, KEYS_SHOWN);
  return Object.fromEntries(entries.map(([key, value]) => [key, cut(value)]));
}

function cut(value: Json): Json {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length <= VALUE_LENGTH) return value;
  return (
    text
      .slice(0, VALUE_LENGTH)
      .toWellFormed()
      .replace(/\uFFFD$/, "") + ELLIPSIS
  );
}

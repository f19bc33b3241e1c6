import { isJsonObject, type Json, valueOf } from "./json.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "./row-size.ts";
import { truncate } from "./truncation.ts";

/** A truncated event is larger than this only if its keys are. */
const MAX_CUT_EVENT_BYTES = 100_000;

/**
 * The JSON text of an error record. If the event leaves no room for the error, the event is shown as in a list: with
 * long values shortened, and `original_event_truncated` beside it.
 */
export function errorText(record: Json): string {
  const text = JSON.stringify(record);
  if (fitsBytes(text, MAX_EVENT_BYTES) || !isJsonObject(record)) return text;
  const { payload } = truncate(JSON.stringify(record["original_event"] ?? null));
  const event = fitsBytes(payload, MAX_CUT_EVENT_BYTES) ? valueOf(payload) : null;
  return JSON.stringify({ ...record, original_event: event, original_event_truncated: true });
}

import { isJsonObject, type Json, valueOf } from "./json.ts";
import { fitsBytes, MAX_EVENT_BYTES } from "./row-size.ts";
import { truncate } from "./truncation.ts";

/**
 * The JSON text of an error record. If the event leaves no room for the error, the event is truncated as in a list, with
 * `original_event_truncated` beside it.
 */
export function errorText(record: Json): string {
  const text = JSON.stringify(record);
  if (fitsBytes(text, MAX_EVENT_BYTES) || !isJsonObject(record)) return text;
  const { payload } = truncate(JSON.stringify(record["original_event"] ?? null));
  const event = { original_event: valueOf(payload), original_event_truncated: true };
  return JSON.stringify({ ...record, ...event });
}

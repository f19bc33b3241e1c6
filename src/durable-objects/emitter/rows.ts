import { eventId, millisecondsOf, type Position } from "#domain/event-ids.ts";
import type { EventMeta, EventSummary } from "#domain/events.ts";
import { fromJson, type JsonOf } from "#domain/json.ts";
import { truncate } from "#domain/truncation.ts";

/** An event as stored, without the columns that only its emitter needs. */
export type Row = {
  position: Position;
  channel: string;
  emit_id: string;
  meta: JsonOf<EventMeta>;
  payload: string;
};

/** An event for its readers; `expand`: whole. */
export function summaryOf(row: Row, expand: boolean): EventSummary {
  const shown = expand ? { payload: row.payload, truncated: false } : truncate(row.payload);
  return {
    id: eventId(row.position),
    indexedAtMs: millisecondsOf(row.position),
    ...shown,
    channel: row.channel,
    emitId: row.emit_id,
    meta: fromJson(row.meta),
  };
}

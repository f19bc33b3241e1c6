import type { EventSummary } from "./events.ts";
import type { Filter } from "./filters.ts";
import { isJsonObject, type Json, valueOf } from "./json.ts";
import { encodeCursor } from "./page.ts";

/** An event of an event type as MCP clients receive it. */
export type Occurrence = {
  eventId: string;
  name: string;
  timestamp: string;
  /** The emitted payload; if it is no object, it becomes the field `value`. */
  data: { [key: string]: Json };
  cursor: string;
};

/** Convert an event to one of an event type. */
export function occurrenceOf(
  name: string,
  {
    id,
    emitId,
    indexedAtMs,
    payload,
  }: Pick<EventSummary, "emitId" | "id" | "indexedAtMs" | "payload">,
): Occurrence {
  const value = valueOf(payload);
  return {
    eventId: emitId,
    name,
    timestamp: new Date(indexedAtMs).toISOString(),
    data: isJsonObject(value) ? value : { value },
    cursor: encodeCursor({ kind: "event", id }),
  };
}

/** Whether an event of a source, with its whole payload, matches a filter; without a filter every event does. */
export function passes(
  filter: Filter | undefined,
  source: string,
  { meta, payload, channel }: Pick<EventSummary, "channel" | "meta" | "payload">,
): boolean {
  return !filter || filter({ ...meta, event: valueOf(payload), name: channel, source });
}

/** An error by which subscriptions end without a request of their agent, with the codes of SEP-3415. */
export type Termination = { code: number; message: string; data: { [field: string]: string } };

/** The event type does not exist any more: clients read the list again. */
export const EVENT_TYPE_GONE: Termination = {
  code: -32_023,
  message: "The event type does not exist any more",
  data: { kind: "event" },
};

export const ACCESS_REVOKED: Termination = {
  code: -32_024,
  message: "The access of the agent was revoked",
  data: { reason: "Access revoked" },
};

import type { EventSummary } from "./events.ts";
import type { Filter } from "./filters.ts";
import type { OwnerId } from "./ids.ts";
import { isJsonObject, type Json, valueOf } from "./json.ts";

/** An event of an event type as MCP clients receive it. */
export type Occurrence = {
  eventId: string;
  name: string;
  timestamp: string;
  /** The emitted payload; if it is no object, it becomes the field `value`. */
  data: { [key: string]: Json };
  cursor: string;
};

/** Convert an event to one of an event type. `cursor`: that from which clients resume after it. */
export function occurrenceOf(
  name: string,
  { emitId, indexedAtMs, payload }: Pick<EventSummary, "emitId" | "indexedAtMs" | "payload">,
  cursor: string,
): Occurrence {
  const value = valueOf(payload);
  return {
    eventId: emitId,
    name,
    timestamp: new Date(indexedAtMs).toISOString(),
    data: isJsonObject(value) ? value : { value },
    cursor,
  };
}

/** The list of an event type's cursors, which polls, streams and subscriptions share. */
export function eventCursorList(owner: OwnerId, name: string): [owner: string, ...list: string[]] {
  return [owner, "events", name];
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

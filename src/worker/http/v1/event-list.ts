import type { Context } from "hono";

import type { EventList, EventSummary } from "#services/events.ts";

import type { AppEnv, FieldSelection } from "../env.ts";
import { select } from "../fields.ts";
import { jsonStream } from "../json-stream.ts";
import { pageInfo } from "../pages.ts";
import { presentEvent } from "./event-body.ts";

type View = { emitter: string; hasPageInfo: boolean; fields: FieldSelection };

/**
 * Respond with a page of events. The rest after the first call is read and sent in pieces, at the speed of the reader:
 * a page of large events exceeds an isolate's memory.
 */
export async function respondWithPage(c: Context<AppEnv>, list: EventList, emitter: string) {
  if (list.rest.length > 0)
    return jsonStream(c, piecesOf(c, list, { emitter, hasPageInfo: true, fields: c.var.fields }));
  const page_info = await eventPageInfo(c, list);
  return c.json({ page_info, data: list.events.map((one) => presentEvent(one, emitter)) }, 200);
}

/** Like `respondWithPage`, without `page_info`. */
export function respondWithEvents(c: Context<AppEnv>, list: EventList, emitter: string) {
  if (list.rest.length > 0)
    return jsonStream(c, piecesOf(c, list, { emitter, hasPageInfo: false, fields: c.var.fields }));
  return c.json({ data: list.events.map((one) => presentEvent(one, emitter)) }, 200);
}

/** The position of a page of events, by their ids. */
function eventPageInfo(
  c: Context<AppEnv>,
  { events: items, totalCount }: { events: { id: string }[]; totalCount: number },
) {
  return pageInfo(c, { items, totalCount }, ({ id }) => ({ kind: "event", id }));
}

async function* piecesOf(
  c: Context<AppEnv>,
  list: EventList,
  { emitter, hasPageInfo, fields }: View,
): AsyncGenerator<string, void> {
  const events: { id: string }[] = [];
  yield `{"data":[`;
  for await (const summary of summariesIn(list)) {
    const text = JSON.stringify(select(presentEvent(summary, emitter), fields));
    yield events.length === 0 ? text : `,${text}`;
    events.push({ id: summary.id });
  }
  // At the end, because events may be deleted while they are read.
  const page_info = hasPageInfo && (await eventPageInfo(c, { ...list, events }));
  yield page_info ? `],"page_info":${JSON.stringify(page_info)}}` : "]}";
}

/** All events of a list, read as they are consumed. */
export async function* summariesIn({
  events,
  rest,
  read,
}: Omit<EventList, "totalCount">): AsyncGenerator<EventSummary> {
  let part = { events, rest };
  for (;;) {
    yield* part.events;
    if (part.rest.length === 0) return;
    part = await read(part.rest);
  }
}

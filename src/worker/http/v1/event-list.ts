import type { Context } from "hono";

import { encodeCursor } from "#domain/page.ts";
import type { EventList, EventSummary } from "#services/events.ts";

import type { AppEnv } from "../env.ts";
import type { FieldSelection } from "../env.ts";
import { select } from "../fields.ts";
import { jsonStream } from "../json-stream.ts";
import { pageInfo } from "../openapi.ts";
import { presentEvent } from "./event-body.ts";

type View = { emitter: string; hasPageInfo: boolean };

/**
 * Respond with a page of events. The rest after the first call is read and sent in pieces, at the speed of the reader:
 * a page of large events exceeds an isolate's memory.
 */
export function respondWithPage(c: Context<AppEnv>, list: EventList, emitter: string) {
  if (list.rest.length > 0)
    return jsonStream(c, piecesOf(list, { emitter, hasPageInfo: true }, c.var.fields));
  const page_info = pageInfo(
    list.totalCount,
    list.events.map(({ id }) => id),
    cursorOf,
  );
  return c.json({ page_info, data: list.events.map((one) => presentEvent(one, emitter)) }, 200);
}

/** Like `respondWithPage`, without `page_info`. */
export function respondWithEvents(c: Context<AppEnv>, list: EventList, emitter: string) {
  if (list.rest.length > 0)
    return jsonStream(c, piecesOf(list, { emitter, hasPageInfo: false }, c.var.fields));
  return c.json({ data: list.events.map((one) => presentEvent(one, emitter)) }, 200);
}

const cursorOf = (id: string): string => encodeCursor({ kind: "event", id });

async function* piecesOf(
  list: EventList,
  { emitter, hasPageInfo }: View,
  fields: FieldSelection,
): AsyncGenerator<string, void> {
  const ids: string[] = [];
  yield `{"data":[`;
  for await (const summary of summariesIn(list)) {
    const text = JSON.stringify(select(presentEvent(summary, emitter), fields));
    yield ids.length === 0 ? text : `,${text}`;
    ids.push(summary.id);
  }
  // At the end, because events may be deleted while they are read.
  const page_info = pageInfo(list.totalCount, ids, cursorOf);
  yield hasPageInfo ? `],"page_info":${JSON.stringify(page_info)}}` : "]}";
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

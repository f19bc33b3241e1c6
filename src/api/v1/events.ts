import { createRoute, z } from "@hono/zod-openapi";

import { ERROR_CHANNEL, LOG_CHANNEL } from "../../domain/channels.ts";
import { encodeCursor, eventOf } from "../../domain/page.ts";
import {
  deleteSourceEvents,
  type EventPage,
  type EventSummary,
  listSourceEvents,
} from "../../services/events.ts";
import { accepted, all, createRouter, cursor, idOf, Limit, many, oneCursor } from "../openapi.ts";

const EventSummaryBody = z
  .object({
    id: z.string().openapi({ example: "1700000000000-0" }),
    indexed_at_ms: z.int(),
    event: z.any(),
    metadata: z.object({
      emit_id: z.string(),
      name: z.string(),
      emitter_id: z.string(),
      id: z.string().optional(),
      summary: z.string().optional(),
      ts: z.int().optional(),
    }),
    truncated: z.literal(true).optional(),
  })
  .openapi("EventSummary");

const SourceId = z.object({ id: idOf("source", "dc_5d0") });

const SummariesQuery = z
  .object({
    limit: Limit,
    after: cursor(eventOf),
    before: cursor(eventOf),
    expand: z.string().optional().openapi({ example: "event" }),
    event_name: z.string().optional(),
  })
  .refine(oneCursor.check, oneCursor.issue);

const list = createRoute({
  operationId: "listSourceEvents",
  method: "get",
  path: "/sources/{id}/event_summaries",
  request: { params: SourceId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listErrors = createRoute({
  operationId: "listSourceErrors",
  method: "get",
  path: "/sources/{id}/$errors/event_summaries",
  request: { params: SourceId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listLogs = createRoute({
  operationId: "listSourceLogs",
  method: "get",
  path: "/sources/{id}/$logs/event_summaries",
  request: { params: SourceId, query: SummariesQuery },
  responses: many(EventSummaryBody),
});

const listLatest = createRoute({
  operationId: "listLatestSourceEvents",
  method: "get",
  path: "/sources/{id}/events",
  request: { params: SourceId, query: z.object({ n: Limit, event_name: z.string().optional() }) },
  responses: all(EventSummaryBody),
});

const remove = createRoute({
  operationId: "deleteSourceEvents",
  method: "delete",
  path: "/sources/{id}/events",
  request: {
    params: SourceId,
    query: z.object({
      start_id: z.string().optional(),
      end_id: z.string().optional(),
      event_name: z.string().optional(),
    }),
  },
  responses: accepted,
});

export const events = createRouter()
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const query = c.req.valid("query");
    const page = await listSourceEvents(c.var.context, id, wanted(query, query.event_name));
    return c.json(summariesBody(page, id), 200);
  })
  .openapi(listErrors, async (c) => {
    const { id } = c.req.valid("param");
    const query = wanted(c.req.valid("query"), ERROR_CHANNEL);
    return c.json(summariesBody(await listSourceEvents(c.var.context, id, query), id), 200);
  })
  .openapi(listLogs, async (c) => {
    const { id } = c.req.valid("param");
    const query = wanted(c.req.valid("query"), LOG_CHANNEL);
    return c.json(summariesBody(await listSourceEvents(c.var.context, id, query), id), 200);
  })
  .openapi(listLatest, async (c) => {
    const { id } = c.req.valid("param");
    const { n, event_name } = c.req.valid("query");
    const query = { limit: n, channel: event_name, expand: true };
    const page = await listSourceEvents(c.var.context, id, query);
    return c.json({ data: page.events.map((event) => present(event, id)) }, 200);
  })
  .openapi(remove, async (c) => {
    const { start_id, end_id, event_name } = c.req.valid("query");
    const range = { startId: start_id, endId: end_id, channel: event_name };
    await deleteSourceEvents(c.var.context, c.req.valid("param").id, range);
    return c.body(null, 202);
  });

function wanted(
  { limit, after, before, expand }: z.output<typeof SummariesQuery>,
  channel: string | undefined,
) {
  return { limit, after, before, channel, expand: expand === "event" };
}

function summariesBody({ events: summaries, totalCount }: EventPage, emitter: string) {
  const [first, last] = [summaries[0], summaries.at(-1)];
  return {
    page_info: {
      total_count: totalCount,
      count: summaries.length,
      start_cursor: first ? encodeCursor({ kind: "event", id: first.id }) : null,
      end_cursor: last ? encodeCursor({ kind: "event", id: last.id }) : null,
    },
    data: summaries.map((summary) => present(summary, emitter)),
  };
}

function present(summary: EventSummary, emitter: string): z.input<typeof EventSummaryBody> {
  return {
    id: summary.id,
    indexed_at_ms: summary.indexedAtMs,
    event: JSON.parse(summary.payload),
    metadata: {
      emit_id: summary.emitId,
      name: summary.channel,
      emitter_id: emitter,
      ...summary.meta,
    },
    ...(summary.truncated && { truncated: true }),
  };
}

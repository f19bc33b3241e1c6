import { createRoute, z } from "@hono/zod-openapi";

import { ALERT_CHANNEL, ERROR_CHANNEL, LOG_CHANNEL } from "#domain/channels.ts";
import {
  deleteSourceEvents,
  getSourceEvent,
  listSourceEvents,
  replayEvent,
} from "#services/events.ts";

import { accepted, all, conflict, createRouter, Limit, many, one } from "../openapi.ts";
import { openPage } from "../pages.ts";
import { SourceId } from "../resource-ids.ts";
import { EventSummaryBody, presentEvent, SummariesQuery, wantedEvents } from "./event-body.ts";
import { respondWithEvents, respondWithPage } from "./event-list.ts";

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

const listAlerts = createRoute({
  operationId: "listSourceAlerts",
  method: "get",
  path: "/sources/{id}/$alerts/event_summaries",
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

const EventId = SourceId.extend({ event_id: z.string().min(1) });

const read = createRoute({
  operationId: "getSourceEvent",
  method: "get",
  path: "/sources/{id}/events/{event_id}",
  request: { params: EventId },
  responses: one(EventSummaryBody),
});

const replay = createRoute({
  operationId: "replaySourceEvent",
  method: "post",
  path: "/sources/{id}/events/{event_id}/replay",
  request: { params: EventId },
  responses: one(EventSummaryBody, conflict),
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
    const query = await openPage(c, c.req.valid("query"));
    const page = await listSourceEvents(c.var.context, id, wantedEvents(query, query.event_name));
    return respondWithPage(c, page, id);
  })
  .openapi(listErrors, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(await openPage(c, c.req.valid("query")), ERROR_CHANNEL);
    const page = await listSourceEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listAlerts, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(await openPage(c, c.req.valid("query")), ALERT_CHANNEL);
    const page = await listSourceEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listLogs, async (c) => {
    const { id } = c.req.valid("param");
    const query = wantedEvents(await openPage(c, c.req.valid("query")), LOG_CHANNEL);
    const page = await listSourceEvents(c.var.context, id, query);
    return respondWithPage(c, page, id);
  })
  .openapi(listLatest, async (c) => {
    const { id } = c.req.valid("param");
    const { n, event_name } = c.req.valid("query");
    const query = { limit: n, channel: event_name, expand: true };
    const latest = await listSourceEvents(c.var.context, id, query);
    return respondWithEvents(c, latest, id);
  })
  .openapi(read, async (c) => {
    const { id, event_id } = c.req.valid("param");
    const event = await getSourceEvent(c.var.context, id, event_id);
    return c.json({ data: presentEvent(event, id) }, 200);
  })
  .openapi(replay, async (c) => {
    const { id, event_id } = c.req.valid("param");
    const event = await replayEvent(c.var.context, id, event_id);
    return c.json({ data: presentEvent(event, id) }, 200);
  })
  .openapi(remove, async (c) => {
    const { start_id, end_id, event_name } = c.req.valid("query");
    const range = { startId: start_id, endId: end_id, channel: event_name };
    await deleteSourceEvents(c.var.context, c.req.valid("param").id, range);
    return c.body(null, 202);
  });

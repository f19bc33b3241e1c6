import { createRoute, z } from "@hono/zod-openapi";

import { followSource, followWorkflow } from "#services/events.ts";

import { createRouter, crowded, failures, idOf } from "../openapi.ts";

const query = z.object({ event_name: z.string().optional() });
const headers = z.object({ "last-event-id": z.string().optional() });

const responses = {
  200: {
    description: "Event summaries as server-sent events, as they are emitted",
    content: { "text/event-stream": { schema: z.string() } },
  },
  ...failures(),
  ...crowded,
};

const follow = createRoute({
  operationId: "followSource",
  method: "get",
  path: "/sources/{id}/sse",
  request: { params: z.object({ id: idOf("source", "dc_5d0") }), query, headers },
  responses,
});

const followFlow = createRoute({
  operationId: "followWorkflow",
  method: "get",
  path: "/workflows/{id}/sse",
  request: { params: z.object({ id: idOf("workflow", "p_5d0") }), query, headers },
  responses,
});

export const streams = createRouter()
  .openapi(follow, async (c) => {
    const { event_name: channel } = c.req.valid("query");
    const lastEventId = c.req.valid("header")["last-event-id"];
    return followSource(c.var.context, c.req.valid("param").id, { channel, lastEventId });
  })
  .openapi(followFlow, async (c) => {
    const { event_name: channel } = c.req.valid("query");
    const lastEventId = c.req.valid("header")["last-event-id"];
    return followWorkflow(c.var.context, c.req.valid("param").id, { channel, lastEventId });
  });

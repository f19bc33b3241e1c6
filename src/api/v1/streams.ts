import { createRoute, z } from "@hono/zod-openapi";

import { followSource } from "../../services/events.ts";
import { createRouter, failures, idOf } from "../openapi.ts";

const follow = createRoute({
  operationId: "followSource",
  method: "get",
  path: "/sources/{id}/sse",
  request: {
    params: z.object({ id: idOf("source", "dc_5d0") }),
    query: z.object({ event_name: z.string().optional() }),
    headers: z.object({ "last-event-id": z.string().optional() }),
  },
  responses: {
    200: {
      description: "Event summaries as server-sent events, as they are emitted",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...failures(),
  },
});

export const streams = createRouter().openapi(follow, async (c) => {
  const { event_name: channel } = c.req.valid("query");
  const lastEventId = c.req.valid("header")["last-event-id"];
  return followSource(c.var.context, c.req.valid("param").id, { channel, lastEventId });
});

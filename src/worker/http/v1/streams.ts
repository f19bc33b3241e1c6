import { createRoute, z } from "@hono/zod-openapi";

import { followSource, followWorkflow } from "#services/events.ts";
import { followAll } from "#services/streams/follow-all.ts";

import { createRouter, crowded, failures, idOf } from "../openapi.ts";
import { SourceId, WorkflowId } from "../resource-ids.ts";

const MAX_REPEATED = 20;

/** One value, or several of the same name. */
function repeatable<T extends z.ZodType>(value: T) {
  return z
    .union([value, z.array(value).max(MAX_REPEATED)])
    .optional()
    .transform((given) => (given === undefined ? [] : [given].flat()));
}

const query = z.object({
  event_name: repeatable(z.string()),
});
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
  request: { params: SourceId, query, headers },
  responses,
});

const EmitterId = z.union([idOf("source", "dc_5d0"), idOf("workflow", "p_5d0")]);

const followEverything = createRoute({
  operationId: "followAll",
  method: "get",
  path: "/users/me/sse",
  description:
    "One stream of all sources and workflows of an owner. An event may be sent twice after a reconnect: drop duplicates by metadata.emit_id.",
  request: {
    query: query.extend({
      emitter_id: repeatable(EmitterId),
    }),
    headers,
  },
  responses,
});

const followFlow = createRoute({
  operationId: "followWorkflow",
  method: "get",
  path: "/workflows/{id}/sse",
  request: { params: WorkflowId, query, headers },
  responses,
});

export const streams = createRouter()
  .openapi(follow, async (c) => {
    const { event_name: channels } = c.req.valid("query");
    const lastEventId = c.req.valid("header")["last-event-id"];
    return followSource(c.var.context, c.req.valid("param").id, { channels, lastEventId });
  })
  .openapi(followFlow, async (c) => {
    const { event_name: channels } = c.req.valid("query");
    const lastEventId = c.req.valid("header")["last-event-id"];
    return followWorkflow(c.var.context, c.req.valid("param").id, { channels, lastEventId });
  })
  .openapi(followEverything, async (c) => {
    const { event_name: channels, emitter_id: emitters } = c.req.valid("query");
    const lastEventId = c.req.valid("header")["last-event-id"];
    return followAll(c.var.context, { emitters, channels, lastEventId });
  });

import { createRoute, z } from "@hono/zod-openapi";

import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import {
  type Attempt,
  type Delivery,
  listDeliveries,
  replayDeliveries,
  retryDelivery,
} from "#services/webhooks.ts";

import {
  accepted,
  conflict,
  createRouter,
  cursor,
  idOf,
  Limit,
  many,
  oneCursor,
  params,
} from "../openapi.ts";

const DeliveryBody = z
  .object({
    id: z.string(),
    event_id: z.string(),
    emitter_id: z.string(),
    event_name: z.string(),
    state: z.enum(["pending", "delivered", "failed", "dead"]),
    attempts: z.array(
      z.object({
        at_ms: z.int(),
        status: z.int().nullable(),
        latency_ms: z.number(),
        error: z.string().optional(),
        response: z.string().optional(),
      }),
    ),
    next_attempt_at: z.int().optional(),
  })
  .openapi("Delivery");

const WebhookId = z.object({ id: idOf("webhook", "wh_5d0") });

const list = createRoute({
  operationId: "listDeliveries",
  method: "get",
  path: "/webhooks/{id}/deliveries",
  request: {
    params: WebhookId,
    query: z
      .object({
        limit: Limit,
        after: cursor(deliveryCursor),
        before: cursor(deliveryCursor),
        state: z.enum(["pending", "delivered", "failed", "dead"]).optional(),
      })
      .refine(oneCursor.check, oneCursor.issue),
  },
  responses: many(DeliveryBody),
});

const retry = createRoute({
  operationId: "retryDelivery",
  method: "post",
  path: "/webhooks/{id}/deliveries/{delivery_id}/retry",
  request: { params: WebhookId.extend({ delivery_id: z.string().min(1) }) },
  responses: { ...accepted, ...conflict },
});

const replay = createRoute({
  operationId: "replayDeliveries",
  method: "post",
  path: "/webhooks/{id}/replay",
  request: {
    params: WebhookId,
    body: params(
      z.object({
        from_ms: z.coerce.number().int().min(0),
        to_ms: z.coerce.number().int().min(0).optional(),
      }),
    ),
  },
  responses: {
    ...accepted,
    ...conflict,
    202: {
      description: "How many deliveries are sent again",
      content: {
        "application/json": { schema: z.object({ data: z.object({ count: z.int() }) }) },
      },
    },
  },
});

export const deliveries = createRouter()
  .openapi(list, async (c) => {
    const page = await listDeliveries(c.var.context, c.req.valid("param").id, c.req.valid("query"));
    const data = page.deliveries.map(present);
    const page_info = {
      total_count: page.totalCount,
      count: data.length,
      start_cursor: data[0]?.id ?? null,
      end_cursor: data.at(-1)?.id ?? null,
    };
    return c.json({ page_info, data }, 200);
  })
  .openapi(retry, async (c) => {
    const { id, delivery_id: delivery } = c.req.valid("param");
    await retryDelivery(c.var.context, id, delivery);
    return c.body(null, 202);
  })
  .openapi(replay, async (c) => {
    const { from_ms: fromMs, to_ms: toMs = Number.MAX_SAFE_INTEGER } = c.req.valid("json");
    const count = await replayDeliveries(c.var.context, c.req.valid("param").id, { fromMs, toMs });
    return c.json({ data: { count } }, 202);
  });

/** Deliveries are their own cursors. */
function deliveryCursor(text: string): string | undefined {
  return deliveryKeyOf(text) && text;
}

function present(delivery: Delivery): z.input<typeof DeliveryBody> {
  const { id, eventId, emitterId, eventName, state, attempts, nextAttemptAtMs } = delivery;
  return {
    id,
    event_id: eventId,
    emitter_id: emitterId,
    event_name: eventName,
    state,
    attempts: attempts.map(presentAttempt),
    ...(nextAttemptAtMs !== undefined && { next_attempt_at: nextAttemptAtMs }),
  };
}

function presentAttempt({ atMs, status, latencyMs, error, response }: Attempt) {
  return {
    at_ms: atMs,
    status,
    latency_ms: latencyMs,
    ...(error !== undefined && { error }),
    ...(response !== undefined && { response }),
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import {
  type DeliveryDetails,
  getDelivery,
  listDeliveries,
  replayDeliveries,
  retryDelivery,
} from "#services/webhooks.ts";

import {
  deliveriesBody,
  DeliveriesQuery,
  DeliveryBody,
  DeliveryId,
  presentDelivery,
} from "../delivery-body.ts";
import { accepted, conflict, createRouter, digits, Flag, many, one, params } from "../openapi.ts";
import { openPage } from "../pages.ts";
import { WebhookId } from "../resource-ids.ts";

/** The end of a range without one. */
const LAST_MS = Number.MAX_SAFE_INTEGER;

const DeliveryDetailsBody = DeliveryBody.extend({
  request: z.object({
    method: z.literal("POST"),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
    body: z.string(),
    body_bytes: z.int(),
    truncated: z.boolean(),
  }),
  response: z
    .object({
      headers: z.record(z.string(), z.string()),
      body: z.string(),
      truncated: z.boolean(),
    })
    .nullable(),
}).openapi("DeliveryDetails");

const list = createRoute({
  operationId: "listDeliveries",
  method: "get",
  path: "/webhooks/{id}/deliveries",
  request: {
    params: WebhookId,
    query: DeliveriesQuery,
  },
  responses: many(DeliveryBody),
});

const read = createRoute({
  operationId: "getDelivery",
  method: "get",
  path: "/webhooks/{id}/deliveries/{delivery_id}",
  request: { params: DeliveryId },
  responses: one(DeliveryDetailsBody),
});

const retry = createRoute({
  operationId: "retryDelivery",
  method: "post",
  path: "/webhooks/{id}/deliveries/{delivery_id}/retry",
  request: { params: DeliveryId },
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
        from_ms: digits(z.int().min(0)),
        to_ms: digits(z.int().min(0)).optional(),
        dry_run: Flag.default(false),
      }),
    ),
  },
  responses: {
    ...accepted,
    ...conflict,
    202: {
      description: "Number of deliveries that are sent again",
      content: {
        "application/json": { schema: z.object({ data: z.object({ count: z.int() }) }) },
      },
    },
  },
});

export const deliveries = createRouter()
  .openapi(list, async (c) => {
    const page = await listDeliveries(
      c.var.context,
      c.req.valid("param").id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await deliveriesBody(c, page), 200);
  })
  .openapi(read, async (c) => {
    const { id, delivery_id: delivery } = c.req.valid("param");
    const found = await getDelivery(c.var.context, id, delivery);
    return c.json({ data: presentDetails(found) }, 200);
  })
  .openapi(retry, async (c) => {
    const { id, delivery_id: delivery } = c.req.valid("param");
    await retryDelivery(c.var.context, id, delivery);
    return c.body(null, 202);
  })
  .openapi(replay, async (c) => {
    const { from_ms: fromMs, to_ms: toMs = LAST_MS, dry_run: isDry } = c.req.valid("json");
    const range = { fromMs, toMs, isDry };
    const count = await replayDeliveries(c.var.context, c.req.valid("param").id, range);
    return c.json({ data: { count } }, 202);
  });

function presentDetails({
  request,
  response,
  ...delivery
}: DeliveryDetails): z.input<typeof DeliveryDetailsBody> {
  const { bodyBytes: body_bytes, isTruncated: truncated, ...shown } = request;
  return {
    ...presentDelivery(delivery),
    request: { method: "POST", ...shown, body_bytes, truncated },
    response: response && {
      headers: response.headers,
      body: response.body,
      truncated: response.isTruncated,
    },
  };
}

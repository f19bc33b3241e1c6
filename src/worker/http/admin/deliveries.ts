import { createRoute, z } from "@hono/zod-openapi";

import { type FailingWebhook, listFailingWebhooks } from "#services/overview/failing-webhooks.ts";
import { listDeliveriesOf, retryDeliveryOf } from "#services/webhooks.ts";

import {
  deliveriesBody,
  DeliveriesQuery,
  DeliveryBody,
  DeliveryId,
  WebhookId,
} from "../delivery-body.ts";
import { accepted, all, conflict, createRouter, many } from "../openapi.ts";

const FailingBody = z
  .object({
    webhook_id: z.string(),
    owner_id: z.string(),
    name: z.string().nullable(),
    url: z.string(),
    active: z.boolean(),
    inactive_reason: z.string().nullable(),
    deliveries: z.int(),
    failed_deliveries: z.int(),
  })
  .openapi("FailingWebhook");

const failing = createRoute({
  operationId: "listFailingWebhooks",
  method: "get",
  path: "/failing_webhooks",
  request: {
    query: z.object({ hours: z.coerce.number().int().min(1).max(168).default(24) }),
  },
  responses: all(FailingBody),
});

const list = createRoute({
  operationId: "listDeliveriesOfWebhook",
  method: "get",
  path: "/webhooks/{id}/deliveries",
  request: { params: WebhookId, query: DeliveriesQuery },
  responses: many(DeliveryBody),
});

const retry = createRoute({
  operationId: "retryDeliveryOfWebhook",
  method: "post",
  path: "/webhooks/{id}/deliveries/{delivery_id}/retry",
  request: { params: DeliveryId },
  responses: { ...accepted, ...conflict },
});

export const deliveries = createRouter()
  .openapi(failing, async (c) => {
    const { hours } = c.req.valid("query");
    const found = await listFailingWebhooks(c.var.platform, hours);
    return c.json({ data: found.map(present) }, 200);
  })
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listDeliveriesOf(c.var.platform, id, c.req.valid("query"));
    return c.json(deliveriesBody(page), 200);
  })
  .openapi(retry, async (c) => {
    const { id, delivery_id: delivery } = c.req.valid("param");
    await retryDeliveryOf(c.var.platform, id, delivery);
    return c.body(null, 202);
  });

function present(found: FailingWebhook): z.input<typeof FailingBody> {
  return {
    webhook_id: found.id,
    owner_id: found.ownerId,
    name: found.name,
    url: found.url,
    active: found.active,
    inactive_reason: found.inactiveReason,
    deliveries: found.deliveries,
    failed_deliveries: found.failedDeliveries,
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import { type DeadLetter, listDeadLetters } from "#services/overview/dead-letters.ts";
import { type FailingWebhook, listFailingWebhooks } from "#services/overview/failing-webhooks.ts";
import { listAllParkedEvents } from "#services/overview/parked-events.ts";
import { listDeliveriesOf, retryDeliveryOf } from "#services/webhooks.ts";

import { deliveriesBody, DeliveriesQuery, DeliveryBody, DeliveryId } from "../delivery-body.ts";
import { accepted, all, conflict, createRouter, digits, many } from "../openapi.ts";
import { openPage } from "../pages.ts";
import { ParkedEventBody, presentParkedEvent } from "../parked-event-body.ts";
import { WebhookId } from "../resource-ids.ts";

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

const Hours = z.object({ hours: digits(z.int().min(1).max(168)).default(24) });

const failing = createRoute({
  operationId: "listFailingWebhooks",
  method: "get",
  path: "/failing_webhooks",
  request: { query: Hours },
  responses: all(FailingBody),
});

const DeadLetterBody = z
  .object({
    id: z.string(),
    webhook_id: z.string(),
    webhook_name: z.string().nullable(),
    url: z.string(),
    owner_id: z.string(),
    emitter_id: z.string(),
    event_id: z.string(),
    event_name: z.string(),
    attempts: z.int(),
    last_attempt_at: z.int().nullable(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
  })
  .openapi("DeadLetter");

const deadLetters = createRoute({
  operationId: "listDeadLetters",
  method: "get",
  path: "/dead_letters",
  request: { query: Hours },
  responses: all(DeadLetterBody),
});

const parked = createRoute({
  operationId: "listAllParkedEvents",
  method: "get",
  path: "/parked_events",
  responses: all(ParkedEventBody),
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
  .openapi(deadLetters, async (c) => {
    const found = await listDeadLetters(c.var.platform, c.req.valid("query").hours);
    return c.json({ data: found.map(presentDeadLetter) }, 200);
  })
  .openapi(parked, async (c) => {
    const found = await listAllParkedEvents(c.var.platform);
    return c.json({ data: found.map(presentParkedEvent) }, 200);
  })
  .openapi(list, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listDeliveriesOf(
      c.var.platform,
      id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await deliveriesBody(c, page), 200);
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

/** Operators see failed deliveries with their reasons, never requests or responses, which belong to the owner. */
function presentDeadLetter(found: DeadLetter): z.input<typeof DeadLetterBody> {
  const { id, webhook, emitterId, eventId, eventName, attempts } = found;
  const last = attempts.at(-1);
  return {
    id,
    webhook_id: webhook.id,
    webhook_name: webhook.name,
    url: webhook.url,
    owner_id: webhook.ownerId,
    emitter_id: emitterId,
    event_id: eventId,
    event_name: eventName,
    attempts: attempts.length,
    last_attempt_at: last?.atMs ?? null,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
  };
}

import { z } from "@hono/zod-openapi";

import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import type { Attempt, Delivery, DeliveryPage } from "#services/webhooks.ts";

import { cursor, Limit, oneCursor, pageInfo } from "./openapi.ts";
import { WebhookId } from "./resource-ids.ts";

const DeliveryState = z.enum(["pending", "delivered", "failed", "dead"]);

/** A delivery and its attempts. */
export const DeliveryBody = z
  .object({
    id: z.string(),
    event_id: z.string(),
    emitter_id: z.string(),
    event_name: z.string(),
    state: DeliveryState,
    attempts: z.array(
      z.object({
        at_ms: z.int(),
        status: z.int().nullable(),
        latency_ms: z.number(),
        error: z.string().optional(),
        response: z.string().optional(),
      }),
    ),
    next_attempt_at_ms: z.int().optional(),
    next_attempt_at: z.int().optional(),
  })
  .openapi("Delivery");

export const DeliveryId = WebhookId.extend({ delivery_id: z.string().min(1) });

/** The filter of a webhook's deliveries. */
export const DeliveriesQuery = z
  .object({
    limit: Limit,
    after: cursor(deliveryCursor),
    before: cursor(deliveryCursor),
    state: DeliveryState.optional(),
  })
  .refine(oneCursor.check, oneCursor.issue);

/** A page of deliveries. */
export function deliveriesBody(page: DeliveryPage) {
  const data = page.deliveries.map(presentDelivery);
  return { page_info: pageInfo(page.totalCount, data, ({ id }) => id), data };
}

/** The ids of deliveries are their cursors. */
function deliveryCursor(text: string): string | undefined {
  return deliveryKeyOf(text) && text;
}

/** A delivery as the API shows it. */
export function presentDelivery(delivery: Delivery): z.input<typeof DeliveryBody> {
  const { id, eventId, emitterId, eventName, state, attempts, nextAttemptAtMs } = delivery;
  return {
    id,
    event_id: eventId,
    emitter_id: emitterId,
    event_name: eventName,
    state,
    attempts: attempts.map(presentAttempt),
    ...(nextAttemptAtMs !== undefined && {
      next_attempt_at_ms: nextAttemptAtMs,
      next_attempt_at: nextAttemptAtMs,
    }),
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

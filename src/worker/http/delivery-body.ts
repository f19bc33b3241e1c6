import { z } from "@hono/zod-openapi";
import type { Context } from "hono";

import { deliveryOf } from "#domain/page.ts";
import type { Attempt, Delivery, DeliveryPage } from "#services/webhooks.ts";

import type { AppEnv } from "./env.ts";
import { cursor, Limit, oneCursor } from "./openapi.ts";
import { pageInfo } from "./pages.ts";
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
    after: cursor(deliveryOf),
    before: cursor(deliveryOf),
    state: DeliveryState.optional(),
  })
  .refine(oneCursor.check, oneCursor.issue);

/** A page of deliveries. */
export async function deliveriesBody(
  c: Context<AppEnv>,
  { deliveries: items, totalCount }: DeliveryPage,
) {
  const page_info = await pageInfo(c, { items, totalCount }, ({ id }) => ({
    kind: "delivery",
    id,
  }));
  return { page_info, data: items.map(presentDelivery) };
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

import { createRoute, z } from "@hono/zod-openapi";

import { takeProviderEvent } from "#services/apphooks.ts";

import { App } from "../account-body.ts";
import { createRouter, idOf, one, params } from "../openapi.ts";

const EventName = z.string().min(1).max(256);

/** Maximum size of an event: that of an endpoint's event. */
const MAX_EVENT_BYTES = 512 * 1024;

function bytesOf(event: unknown): number {
  return new TextEncoder().encode(JSON.stringify(event)).length;
}

const TakenBody = z
  .object({
    event_id: z.string(),
    state: z.enum(["delivered", "pending"]),
    sources: z.int(),
  })
  .openapi("TakenEvent");

const take = createRoute({
  operationId: "takeProviderEvent",
  method: "post",
  path: "/apphooks/{app}",
  request: {
    params: z.object({ app: App }),
    body: params(
      z.object({
        account_id: idOf("account", "apn_5d0").nullish(),
        external_id: z.string().min(1).max(256).nullish(),
        event_name: z.union([EventName, z.array(EventName).min(1).max(100)]),
        event: z
          .unknown()
          .refine((event) => event !== undefined, "is required")
          .refine((event) => bytesOf(event) <= MAX_EVENT_BYTES, "must be at most 512 KB"),
        event_id: z.string().min(1).max(256).nullish(),
      }),
    ),
  },
  responses: one(TakenBody),
});

export const apphooks = createRouter().openapi(take, async (c) => {
  const given = c.req.valid("json");
  const { eventId, sources, isDone } = await takeProviderEvent(c.var.platform, {
    app: c.req.valid("param").app,
    accountId: given.account_id ?? null,
    externalId: given.external_id ?? null,
    names: [given.event_name].flat(),
    payload: JSON.stringify(given.event),
    eventId: given.event_id ?? undefined,
  });
  const state = isDone ? ("delivered" as const) : ("pending" as const);
  return c.json({ data: { event_id: eventId, state, sources } }, 200);
});

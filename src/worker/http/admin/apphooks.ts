import { createRoute, z } from "@hono/zod-openapi";

import { takeProviderEvent } from "#services/apphooks.ts";

import { App } from "../account-body.ts";
import { createRouter, idOf, one, params } from "../openapi.ts";

const EventName = z.string().min(1).max(256);

/** The largest event: as large as one that comes to an endpoint. */
const MAX_EVENT_BYTES = 512 * 1024;

function bytesOf(event: unknown): number {
  return new TextEncoder().encode(JSON.stringify(event)).length;
}

const TakenBody = z
  .object({
    event_id: z.string(),
    state: z.enum(["delivered", "pending"]).openapi({
      description: "pending: it is on disk, and on its way to further sources",
    }),
    sources: z.int().openapi({ description: "How many sources have it so far" }),
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
        external_id: z.string().min(1).max(256).nullish().openapi({
          description: "The event concerns every account that is this to the provider",
        }),
        event_name: z
          .union([EventName, z.array(EventName).min(1).max(100)])
          .openapi({ description: "One of the names, or all of them, that the event goes by" }),
        event: z
          .unknown()
          .refine((event) => event !== undefined, "is required")
          .refine((event) => bytesOf(event) <= MAX_EVENT_BYTES, "must be at most 512 KB")
          .openapi({ description: "What run gets, as it is" }),
        event_id: z
          .string()
          .min(1)
          .max(256)
          .nullish()
          .openapi({ description: "An event that comes twice under one id is one event" }),
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

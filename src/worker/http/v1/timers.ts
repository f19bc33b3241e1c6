import { createRoute, z } from "@hono/zod-openapi";

import { previewTimer } from "#services/timers.ts";

import { createRouter, digits, one } from "../openapi.ts";

const MAX_TICKS = 20;

const preview = createRoute({
  operationId: "previewTimer",
  method: "get",
  path: "/timers/preview",
  request: {
    query: z.object({
      cron: z.string().max(200).optional(),
      timezone: z.string().max(100).optional(),
      interval_seconds: digits(z.number()).optional(),
      count: digits(z.int().min(1).max(MAX_TICKS)).default(5),
    }),
  },
  responses: one(z.object({ ticks: z.array(z.int()) })),
});

export const timers = createRouter().openapi(preview, async (c) => {
  const { count, ...schedule } = c.req.valid("query");
  return c.json({ data: { ticks: previewTimer(schedule, count, Date.now()) } }, 200);
});

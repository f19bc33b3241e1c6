import { createRoute, z } from "@hono/zod-openapi";

import { listUsage } from "#services/connect/usage.ts";

import { all, createRouter, digits } from "../openapi.ts";

/** The last second of a year with four digits. */
const MAX_SECONDS = Date.UTC(9999, 11, 31) / 1000;

const Seconds = digits(z.int().min(0).max(MAX_SECONDS));

const UsageBody = z
  .object({
    credits_used: z.int(),
    usage_start_ts: z.int(),
    usage_end_ts: z.int(),
  })
  .openapi("ConnectUsage");

const list = createRoute({
  operationId: "listUsage",
  method: "get",
  path: "/usage",
  description: "Usage by day of the client's project, or of all projects of the owner",
  request: {
    query: z
      .object({ start_ts: Seconds, end_ts: Seconds })
      .refine(({ start_ts, end_ts }) => start_ts < end_ts, {
        path: ["end_ts"],
        message: "must be after start_ts",
      }),
  },
  responses: all(UsageBody),
});

export const usage = createRouter().openapi(list, async (c) => {
  const { start_ts: from, end_ts: to } = c.req.valid("query");
  const records = await listUsage(c.var.connect, { from, to });
  const data = records.map(({ credits, startAt, endAt }) => ({
    credits_used: credits,
    usage_start_ts: startAt,
    usage_end_ts: endAt,
  }));
  return c.json({ data }, 200);
});

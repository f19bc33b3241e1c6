import { createRoute, z } from "@hono/zod-openapi";

import { requireMember } from "#services/access.ts";
import { dailyUsage } from "#services/daily-usage.ts";

import { all, createRouter, Ownership, workspaceIn } from "../openapi.ts";
import { DaysQuery, DayUsageBody, presentDayUsage } from "../usage-body.ts";

const read = createRoute({
  operationId: "getDailyUsage",
  method: "get",
  path: "/usage",
  request: { query: z.object({ ...DaysQuery, ...Ownership }) },
  responses: all(DayUsageBody),
});

export const usage = createRouter().openapi(read, async (c) => {
  const { context } = c.var;
  const { from, to, ...ownership } = c.req.valid("query");
  const workspace = workspaceIn(ownership);
  if (workspace !== undefined) await requireMember(context, workspace);
  const days = await dailyUsage(context, workspace ?? context.actor.id, { from, to });
  return c.json({ data: days.map(presentDayUsage) }, 200);
});

import { createRoute, z } from "@hono/zod-openapi";

import { requireMember } from "#services/access.ts";
import { usageAndQuotas } from "#services/daily-usage.ts";

import { allWith, createRouter, Ownership, workspaceIn } from "../openapi.ts";
import { presentQuotas, QuotasBody } from "../quotas-body.ts";
import { DaysQuery, DayUsageBody, presentDayUsage } from "../usage-body.ts";

const read = createRoute({
  operationId: "getDailyUsage",
  method: "get",
  path: "/usage",
  request: { query: z.object({ ...DaysQuery, ...Ownership }) },
  responses: allWith(DayUsageBody, { quotas: QuotasBody, stored_bytes: z.int() }),
});

export const usage = createRouter().openapi(read, async (c) => {
  const { context } = c.var;
  const { from, to, ...ownership } = c.req.valid("query");
  const workspace = workspaceIn(ownership);
  if (workspace !== undefined) await requireMember(context, workspace);
  const owner = workspace ?? context.actor.id;
  const { days, quotas, storedBytes } = await usageAndQuotas(context, owner, { from, to });
  const data = days.map(presentDayUsage);
  return c.json({ data, quotas: presentQuotas(quotas), stored_bytes: storedBytes }, 200);
});

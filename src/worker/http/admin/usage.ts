import { createRoute, z } from "@hono/zod-openapi";

import { usageOfOwner } from "#services/daily-usage.ts";

import { all, createRouter } from "../openapi.ts";
import { UserId, WorkspaceId } from "../resource-ids.ts";
import { DaysQuery, DayUsageBody, presentDayUsage } from "../usage-body.ts";

const query = z.object(DaysQuery);

const ofUser = createRoute({
  operationId: "getUserUsage",
  method: "get",
  path: "/users/{id}/usage",
  request: { params: UserId, query },
  responses: all(DayUsageBody),
});

const ofWorkspace = createRoute({
  operationId: "getWorkspaceUsage",
  method: "get",
  path: "/workspaces/{id}/usage",
  request: { params: WorkspaceId, query },
  responses: all(DayUsageBody),
});

export const usage = createRouter()
  .openapi(ofUser, async (c) => {
    const days = await usageOfOwner(c.var.platform, c.req.valid("param").id, c.req.valid("query"));
    return c.json({ data: days.map(presentDayUsage) }, 200);
  })
  .openapi(ofWorkspace, async (c) => {
    const days = await usageOfOwner(c.var.platform, c.req.valid("param").id, c.req.valid("query"));
    return c.json({ data: days.map(presentDayUsage) }, 200);
  });

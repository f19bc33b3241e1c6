import { createRoute } from "@hono/zod-openapi";

import { listAllAlerts } from "#services/alerts.ts";

import { AlertBody, AlertState, presentAlert } from "../alert-body.ts";
import { createRouter, many, pageBody, PageQuery } from "../openapi.ts";
import { Owner } from "./owner.ts";

const list = createRoute({
  operationId: "listAllAlerts",
  method: "get",
  path: "/alerts",
  request: { query: PageQuery.safeExtend({ ...AlertState, owner_id: Owner.optional() }) },
  responses: many(AlertBody),
});

export const alerts = createRouter().openapi(list, async (c) => {
  const { state, owner_id: owner, ...request } = c.req.valid("query");
  const page = await listAllAlerts(c.var.platform, { owner, state }, request);
  return c.json(pageBody(page, presentAlert), 200);
});

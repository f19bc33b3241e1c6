import { createRoute } from "@hono/zod-openapi";

import { listAllAlerts } from "#services/alerts.ts";

import { AlertBody, AlertState, presentAlert } from "../alert-body.ts";
import { createRouter, many, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { Owner } from "./owner.ts";

const list = createRoute({
  operationId: "listAllAlerts",
  method: "get",
  path: "/alerts",
  request: { query: PageQuery.safeExtend({ ...AlertState, owner_id: Owner.optional() }) },
  responses: many(AlertBody),
});

export const alerts = createRouter().openapi(list, async (c) => {
  const { state, owner_id: owner, ...request } = await openPage(c, c.req.valid("query"));
  const page = await listAllAlerts(c.var.platform, { owner, state }, request);
  return c.json(await pageBody(c, page, presentAlert), 200);
});

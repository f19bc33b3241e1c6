import { createRoute } from "@hono/zod-openapi";

import { listAlerts, listWorkspaceAlerts } from "#services/alerts.ts";

import { AlertBody, AlertState, presentAlert } from "../alert-body.ts";
import { createRouter, many, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { workspaceList } from "../workspace-list.ts";

const AlertsQuery = PageQuery.safeExtend(AlertState);

const list = createRoute({
  operationId: "listAlerts",
  method: "get",
  path: "/users/me/alerts",
  request: { query: AlertsQuery },
  responses: many(AlertBody),
});

const listOfWorkspace = workspaceList("listWorkspaceAlerts", "alerts", {
  query: AlertsQuery,
  body: AlertBody,
});

export const alerts = createRouter()
  .openapi(list, async (c) => {
    const { state, ...request } = await openPage(c, c.req.valid("query"));
    const page = await listAlerts(c.var.context, state, request);
    return c.json(await pageBody(c, page, presentAlert), 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { state, ...request } = await openPage(c, c.req.valid("query"));
    const wanted = { workspace: c.req.valid("param").id, state };
    const page = await listWorkspaceAlerts(c.var.context, wanted, request);
    return c.json(await pageBody(c, page, presentAlert), 200);
  });

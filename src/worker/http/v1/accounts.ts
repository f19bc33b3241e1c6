import { createRoute, z } from "@hono/zod-openapi";

import { getAccount, listAccounts, listWorkspaceAccounts } from "#services/accounts.ts";

import { AccountBody, AccountFilters, AccountId, presentAccount } from "../account-body.ts";
import { createRouter, idOf, many, one, pageBody, PageQuery } from "../openapi.ts";

const AccountsQuery = PageQuery.safeExtend(AccountFilters);

const list = createRoute({
  operationId: "listAccounts",
  method: "get",
  path: "/accounts",
  request: { query: AccountsQuery },
  responses: many(AccountBody),
});

const read = createRoute({
  operationId: "getAccount",
  method: "get",
  path: "/accounts/{id}",
  request: { params: AccountId },
  responses: one(AccountBody),
});

const listOfWorkspace = createRoute({
  operationId: "listWorkspaceAccounts",
  method: "get",
  path: "/workspaces/{id}/accounts",
  request: { params: z.object({ id: idOf("workspace", "o_5d0") }), query: AccountsQuery },
  responses: many(AccountBody),
});

export const accounts = createRouter()
  .openapi(list, async (c) => {
    const { app, external_id: externalId, ...request } = c.req.valid("query");
    const page = await listAccounts(c.var.context, { app, externalId }, request);
    return c.json(pageBody(page, presentAccount), 200);
  })
  .openapi(read, async (c) => {
    const account = await getAccount(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { app, external_id: externalId, ...request } = c.req.valid("query");
    const { id: workspace } = c.req.valid("param");
    const wanted = { workspace, app, externalId };
    const page = await listWorkspaceAccounts(c.var.context, wanted, request);
    return c.json(pageBody(page, presentAccount), 200);
  });

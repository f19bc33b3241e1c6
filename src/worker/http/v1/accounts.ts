import { createRoute, z } from "@hono/zod-openapi";

import { getAccount, listAccounts, listWorkspaceAccounts } from "#services/accounts.ts";
import {
  createOwnAccount,
  deleteOwnAccount,
  getUsesOfAccount,
  updateOwnAccount,
} from "#services/own-accounts.ts";

import {
  AccountBody,
  AccountChange,
  AccountFilters,
  AccountId,
  AccountSearch,
  NewAccountFields,
  presentAccount,
} from "../account-body.ts";
import {
  conflict,
  createRouter,
  Flag,
  many,
  none,
  one,
  Ownership,
  PageQuery,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { workspaceList } from "../workspace-list.ts";

const AccountsQuery = PageQuery.safeExtend({ ...AccountFilters, ...AccountSearch });

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

const listOfWorkspace = workspaceList("listWorkspaceAccounts", "accounts", {
  query: AccountsQuery,
  body: AccountBody,
});

const create = createRoute({
  operationId: "connectOwnAccount",
  method: "post",
  path: "/accounts",
  request: { body: params(z.object({ ...NewAccountFields, ...Ownership })) },
  responses: one(AccountBody),
});

const update = createRoute({
  operationId: "updateOwnAccount",
  method: "put",
  path: "/accounts/{id}",
  request: { params: AccountId, body: params(z.object(AccountChange)) },
  responses: one(AccountBody),
});

const User = z.object({ id: z.string(), name: z.string() });

const readUses = createRoute({
  operationId: "getUsesOfAccount",
  method: "get",
  path: "/accounts/{id}/uses",
  request: { params: AccountId },
  responses: one(z.object({ sources: z.array(User), workflows: z.array(User) })),
});

const remove = createRoute({
  operationId: "deleteOwnAccount",
  method: "delete",
  path: "/accounts/{id}",
  request: { params: AccountId, query: z.object({ force: Flag.optional() }) },
  responses: { ...none, ...conflict },
});

export const accounts = createRouter()
  .openapi(create, async (c) => {
    const { app, name, credentials, ...more } = c.req.valid("json");
    const account = await createOwnAccount(c.var.context, {
      app,
      name,
      credentials,
      externalId: more.external_id ?? undefined,
      expiresAt: more.expires_at ?? undefined,
      workspace: workspaceIn(more),
    });
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(update, async (c) => {
    const { external_id: externalId, expires_at: expiresAt, ...same } = c.req.valid("json");
    const { id } = c.req.valid("param");
    const account = await updateOwnAccount(c.var.context, id, { ...same, externalId, expiresAt });
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(readUses, async (c) =>
    c.json({ data: await getUsesOfAccount(c.var.context, c.req.valid("param").id) }, 200),
  )
  .openapi(remove, async (c) => {
    const { force = false } = c.req.valid("query");
    await deleteOwnAccount(c.var.context, c.req.valid("param").id, force);
    return c.body(null, 204);
  })
  .openapi(list, async (c) => {
    const { app, q, external_id: externalId, ...request } = await openPage(c, c.req.valid("query"));
    const page = await listAccounts(c.var.context, { app, q, externalId }, request);
    return c.json(await pageBody(c, page, presentAccount), 200);
  })
  .openapi(read, async (c) => {
    const account = await getAccount(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { app, q, external_id: externalId, ...request } = await openPage(c, c.req.valid("query"));
    const { id: workspace } = c.req.valid("param");
    const wanted = { workspace, app, q, externalId };
    const page = await listWorkspaceAccounts(c.var.context, wanted, request);
    return c.json(await pageBody(c, page, presentAccount), 200);
  });

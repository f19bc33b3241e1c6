import { createRoute, z } from "@hono/zod-openapi";

import {
  createAccount,
  deleteAccount,
  listAllAccounts,
  readAccount,
  updateAccount,
} from "#services/accounts.ts";

import {
  AccountBody,
  AccountChange,
  AccountFilters,
  AccountId,
  NewAccountFields,
  presentAccount,
} from "../account-body.ts";
import { createRouter, many, none, one, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { Owner } from "./owner.ts";

const create = createRoute({
  operationId: "createAccount",
  method: "post",
  path: "/accounts",
  request: {
    body: params(
      z.object({
        owner_id: Owner,
        ...NewAccountFields,
      }),
    ),
  },
  responses: one(AccountBody),
});

const list = createRoute({
  operationId: "listAllAccounts",
  method: "get",
  path: "/accounts",
  request: { query: PageQuery.safeExtend({ ...AccountFilters, owner_id: Owner.optional() }) },
  responses: many(AccountBody),
});

const read = createRoute({
  operationId: "readAccount",
  method: "get",
  path: "/accounts/{id}",
  request: { params: AccountId },
  responses: one(AccountBody),
});

const update = createRoute({
  operationId: "updateAccount",
  method: "put",
  path: "/accounts/{id}",
  request: {
    params: AccountId,
    body: params(z.object(AccountChange)),
  },
  responses: one(AccountBody),
});

const remove = createRoute({
  operationId: "deleteAccount",
  method: "delete",
  path: "/accounts/{id}",
  request: { params: AccountId },
  responses: none,
});

export const accounts = createRouter()
  .openapi(create, async (c) => {
    const { owner_id: ownerId, app, name, credentials, ...rest } = c.req.valid("json");
    const account = await createAccount(c.var.platform, {
      ownerId,
      app,
      name,
      credentials,
      externalId: rest.external_id ?? undefined,
      expiresAt: rest.expires_at ?? undefined,
    });
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(list, async (c) => {
    const {
      owner_id: owner,
      app,
      external_id: externalId,
      ...request
    } = await openPage(c, c.req.valid("query"));
    const page = await listAllAccounts(c.var.platform, { owner, app, externalId }, request);
    return c.json(await pageBody(c, page, presentAccount), 200);
  })
  .openapi(read, async (c) => {
    const account = await readAccount(c.var.platform, c.req.valid("param").id);
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(update, async (c) => {
    const { external_id: externalId, expires_at: expiresAt, ...rest } = c.req.valid("json");
    const change = { ...rest, externalId, expiresAt };
    const account = await updateAccount(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: presentAccount(account) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteAccount(c.var.platform, c.req.valid("param").id);
    return c.body(null, 204);
  });

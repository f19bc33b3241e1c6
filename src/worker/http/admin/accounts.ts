import { createRoute, z } from "@hono/zod-openapi";

import {
  createAccount,
  deleteAccount,
  listAllAccounts,
  readAccount,
  updateAccount,
} from "#services/accounts.ts";

import { AccountBody, AccountFilters, AccountId, presentAccount } from "../account-body.ts";
import {
  createRouter,
  JsonObject,
  many,
  none,
  one,
  pageBody,
  PageQuery,
  params,
} from "../openapi.ts";
import { Owner } from "./owner.ts";

const MAX_CREDENTIALS_BYTES = 64 * 1024;

export const App = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,128}$/, "must be the slug of an app, such as github")
  .openapi({ example: "github" });

const Name = z.string().trim().min(1).max(256);
const ExternalId = z.string().min(1).max(256);

const Credentials = JsonObject.refine(
  (given) => new TextEncoder().encode(JSON.stringify(given)).length <= MAX_CREDENTIALS_BYTES,
  "must be at most 64 KB",
).openapi({
  type: "object",
  description:
    "What components see as $auth: api_key, oauth_access_token, oauth_refresh_token, oauth_uid, or any names. Never shown",
});

const ExpiresAt = z.coerce
  .number()
  .int()
  .min(0)
  .openapi({ description: "When oauth_access_token expires, epoch seconds" });

const create = createRoute({
  operationId: "createAccount",
  method: "post",
  path: "/accounts",
  request: {
    body: params(
      z.object({
        owner_id: Owner,
        app: App,
        name: Name,
        credentials: Credentials,
        external_id: ExternalId.nullish(),
        expires_at: ExpiresAt.nullish(),
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
    body: params(
      z.object({
        name: Name.optional(),
        credentials: Credentials.optional(),
        external_id: ExternalId.nullable().optional(),
        expires_at: ExpiresAt.nullable().optional(),
      }),
    ),
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
    const { owner_id: owner, app, external_id: externalId, ...request } = c.req.valid("query");
    const page = await listAllAccounts(c.var.platform, { owner, app, externalId }, request);
    return c.json(pageBody(page, presentAccount), 200);
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

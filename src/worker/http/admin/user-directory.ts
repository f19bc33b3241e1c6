import { createRoute, z } from "@hono/zod-openapi";

import { deleteUser } from "#services/user-departures.ts";
import {
  listApiKeys,
  type ListedKey,
  type ListedUser,
  listUsers,
  readUser,
  updateUser,
} from "#services/user-directory.ts";

import {
  accepted,
  all,
  conflict,
  createRouter,
  Flag,
  many,
  one,
  PageQuery,
  params,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { presentQuotas, QuotasBody } from "../quotas-body.ts";
import { UserId } from "../resource-ids.ts";
import { changeOf, QuotaFields } from "./quotas.ts";
import { Email } from "./users.ts";

const Plan = z.enum(["free", "paid"]);

const UserBody = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    plan: Plan,
    ...QuotasBody.shape,
    created_at: z.int(),
    updated_at: z.int(),
    api_keys: z.int(),
    sources: z.int(),
    workflows: z.int(),
    workspaces: z.int(),
  })
  .openapi("User");

const KeyBody = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    created_at: z.int(),
    last_used_at: z.int().nullable(),
  })
  .openapi("ApiKey");

const list = createRoute({
  operationId: "listUsers",
  method: "get",
  path: "/users",
  request: {
    query: PageQuery.safeExtend({
      q: z.string().optional(),
    }),
  },
  responses: many(UserBody),
});

const read = createRoute({
  operationId: "readUser",
  method: "get",
  path: "/users/{id}",
  request: { params: UserId },
  responses: one(UserBody),
});

const update = createRoute({
  operationId: "updateUser",
  method: "put",
  path: "/users/{id}",
  request: {
    params: UserId,
    body: params(
      z.strictObject({
        username: z.string().trim().min(1).optional(),
        email: Email.optional(),
        plan: Plan.optional(),
        ...QuotaFields,
      }),
    ),
  },
  responses: one(UserBody, conflict),
});

const remove = createRoute({
  operationId: "deleteUser",
  method: "delete",
  path: "/users/{id}",
  request: {
    params: UserId,
    query: z.object({
      force: Flag.optional(),
    }),
  },
  responses: { ...accepted, ...conflict },
});

const keys = createRoute({
  operationId: "listApiKeys",
  method: "get",
  path: "/users/{id}/api_keys",
  request: { params: UserId },
  responses: all(KeyBody),
});

export const userDirectory = createRouter()
  .openapi(list, async (c) => {
    const page = await listUsers(c.var.platform, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, presentUser), 200);
  })
  .openapi(read, async (c) => {
    const user = await readUser(c.var.platform, c.req.valid("param").id);
    return c.json({ data: presentUser(user) }, 200);
  })
  .openapi(update, async (c) => {
    const { username, email, plan, ...quotas } = c.req.valid("json");
    const change = {
      ...(username !== undefined && { username }),
      ...(email !== undefined && { email }),
      ...(plan !== undefined && { plan }),
      quotas: changeOf(quotas),
    };
    const user = await updateUser(c.var.platform, c.req.valid("param").id, change);
    return c.json({ data: presentUser(user) }, 200);
  })
  .openapi(remove, async (c) => {
    const { force = false } = c.req.valid("query");
    await deleteUser(c.var.platform, c.req.valid("param").id, force);
    return c.body(null, 202);
  })
  .openapi(keys, async (c) => {
    const found = await listApiKeys(c.var.platform, c.req.valid("param").id);
    return c.json({ data: found.map(presentKey) }, 200);
  });

function presentUser(user: ListedUser): z.input<typeof UserBody> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    plan: user.plan,
    ...presentQuotas(user),
    created_at: user.createdAt,
    updated_at: user.updatedAt,
    api_keys: user.keys,
    sources: user.sources,
    workflows: user.workflows,
    workspaces: user.workspaces,
  };
}

function presentKey({ id, name, createdAt, lastUsedAt }: ListedKey): z.input<typeof KeyBody> {
  return { id, name, created_at: createdAt, last_used_at: lastUsedAt };
}

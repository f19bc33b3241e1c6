import { createRoute, z } from "@hono/zod-openapi";

import { issueApiKey, type IssuedKey, revokeApiKey } from "#services/keys.ts";
import { createUser, type User } from "#services/users.ts";

import { conflict, createRouter, idOf, none, one, params } from "../openapi.ts";
import { UserId } from "../resource-ids.ts";

const Plan = z.enum(["free", "paid"]).default("free");
export const Email = z.string().regex(/^\S+@\S+$/, "must be an e-mail address");

const UserBody = z
  .object({
    id: z.string(),
    username: z.string(),
    email: z.string(),
    plan: z.enum(["free", "paid"]),
    created_at: z.int(),
    api_key: z.string(),
    api_key_id: z.string(),
  })
  .openapi("NewUser");

const ApiKeyBody = z
  .object({
    id: z.string(),
    name: z.string().nullable(),
    api_key: z.string(),
    created_at: z.int(),
  })
  .openapi("NewApiKey");

const create = createRoute({
  operationId: "createUser",
  method: "post",
  path: "/users",
  request: {
    body: params(z.object({ username: z.string().trim().min(1), email: Email, plan: Plan })),
  },
  responses: one(UserBody, conflict),
});

const issueKey = createRoute({
  operationId: "issueApiKey",
  method: "post",
  path: "/users/{id}/api_keys",
  request: {
    params: UserId,
    body: params(z.object({ name: z.string().nullish() })),
  },
  responses: one(ApiKeyBody),
});

const revokeKey = createRoute({
  operationId: "revokeApiKey",
  method: "delete",
  path: "/api_keys/{id}",
  request: { params: z.object({ id: idOf("api_key", "key_5d0") }) },
  responses: none,
});

export const users = createRouter()
  .openapi(create, async (c) => {
    const { user, key } = await createUser(c.var.platform, c.req.valid("json"));
    return c.json({ data: presentUser(user, key) }, 200);
  })
  .openapi(issueKey, async (c) => {
    const { name } = c.req.valid("json");
    const key = await issueApiKey(c.var.platform, c.req.valid("param").id, name ?? null);
    return c.json({ data: presentKey(key) }, 200);
  })
  .openapi(revokeKey, async (c) => {
    await revokeApiKey(c.var.platform, c.req.valid("param").id);
    return c.body(null, 204);
  });

function presentUser(user: User, key: IssuedKey): z.input<typeof UserBody> {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    plan: user.plan,
    created_at: user.createdAt,
    api_key: key.apiKey,
    api_key_id: key.id,
  };
}

function presentKey({ id, name, apiKey, createdAt }: IssuedKey): z.input<typeof ApiKeyBody> {
  return { id, name, api_key: apiKey, created_at: createdAt };
}

import { createRoute, z } from "@hono/zod-openapi";

import { createOwnKey, listOwnKeys, revokeOwnKey } from "#services/keys.ts";

import { all, conflict, createRouter, idOf, none, one, params } from "../openapi.ts";

const key = {
  id: z.string(),
  name: z.string().nullable(),
  created_at: z.int(),
};

const OwnKeyBody = z
  .object({ ...key, last_used_at: z.int().nullable(), is_current: z.boolean() })
  .openapi("OwnApiKey");

const NewKeyBody = z.object({ ...key, api_key: z.string() }).openapi("NewOwnApiKey");

const list = createRoute({
  operationId: "listOwnApiKeys",
  method: "get",
  path: "/api_keys",
  responses: all(OwnKeyBody),
});

const create = createRoute({
  operationId: "createOwnApiKey",
  method: "post",
  path: "/api_keys",
  request: { body: params(z.object({ name: z.string().trim().max(256).nullish() })) },
  responses: one(NewKeyBody, conflict),
});

const revoke = createRoute({
  operationId: "revokeOwnApiKey",
  method: "delete",
  path: "/api_keys/{id}",
  request: { params: z.object({ id: idOf("api_key", "key_5d0") }) },
  responses: none,
});

export const apiKeys = createRouter()
  .openapi(list, async (c) => {
    const keys = await listOwnKeys(c.var.context);
    const data = keys.map(({ id, name, createdAt, lastUsedAt, isCurrent }) => ({
      id,
      name,
      created_at: createdAt,
      last_used_at: lastUsedAt,
      is_current: isCurrent,
    }));
    return c.json({ data }, 200);
  })
  .openapi(create, async (c) => {
    const { name } = c.req.valid("json");
    const made = await createOwnKey(c.var.context, name ?? null);
    const { id, createdAt, apiKey } = made;
    return c.json({ data: { id, name: made.name, created_at: createdAt, api_key: apiKey } }, 200);
  })
  .openapi(revoke, async (c) => {
    await revokeOwnKey(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  });

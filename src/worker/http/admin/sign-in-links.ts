import { createRoute, z } from "@hono/zod-openapi";

import { createConsoleLink } from "#services/sessions/links.ts";

import { createRouter, Flag, idOf, one, params } from "../openapi.ts";

const create = createRoute({
  operationId: "createConsoleLink",
  method: "post",
  path: "/sign_in_links",
  request: {
    body: params(
      z.object({ user_id: idOf("user", "u_5d0").nullish(), is_operator: Flag.nullish() }),
    ),
  },
  responses: one(z.object({ url: z.string(), expires_at: z.int() })),
});

export const signInLinks = createRouter().openapi(create, async (c) => {
  const { user_id, is_operator } = c.req.valid("json");
  const { url, expiresAt } = await createConsoleLink(c.var.platform, {
    user: user_id ?? null,
    isOperator: is_operator ?? false,
  });
  return c.json({ data: { url, expires_at: expiresAt } }, 200);
});

import { createRoute, z } from "@hono/zod-openapi";

import { rewrapSecrets } from "#services/key-rotation.ts";

import { createRouter, digits, one, params } from "../openapi.ts";

const RewrapBody = z
  .object({
    checked: z.int(),
    left: z.array(z.string()),
    next: z.int().nullable(),
  })
  .openapi("Rewrap");

const rewrap = createRoute({
  operationId: "rewrapSecrets",
  method: "post",
  path: "/secrets/rewrap",
  request: {
    body: params(z.object({ after: digits(z.int().min(0)) })),
  },
  responses: one(RewrapBody),
});

export const secrets = createRouter().openapi(rewrap, async (c) => {
  const { after } = c.req.valid("json");
  return c.json({ data: await rewrapSecrets(c.var.platform, after) }, 200);
});

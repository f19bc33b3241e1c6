import { createRoute, z } from "@hono/zod-openapi";

import { publishComponent } from "#services/registry.ts";

import { codeFailures, conflict, createRouter, one, params } from "../openapi.ts";
import { ComponentBody, presentComponent } from "../v1/components.ts";

const publish = createRoute({
  operationId: "publishComponent",
  method: "post",
  path: "/registry",
  request: {
    body: params(
      z.object({
        component_code: z.string().min(1).nullish(),
        component_url: z.string().nullish(),
      }),
    ),
  },
  responses: one(ComponentBody, { ...codeFailures, ...conflict }),
});

export const registry = createRouter().openapi(publish, async (c) => {
  const { component_code, component_url } = c.req.valid("json");
  const component = await publishComponent(c.var.platform, {
    code: component_code ?? undefined,
    url: component_url ?? undefined,
  });
  return c.json({ data: presentComponent(component) }, 200);
});

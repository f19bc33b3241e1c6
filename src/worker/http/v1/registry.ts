import { createRoute, z } from "@hono/zod-openapi";

import { hitOf, positionOfHit } from "#domain/page.ts";
import { type Hit, searchComponents } from "#services/registry.ts";

import { createRouter, cursor, Limit, many, oneCursor } from "../openapi.ts";
import { openPage, pageInfo } from "../pages.ts";
import { ConfigurableProp, Publication } from "./components.ts";

const FoundBody = z
  .object({
    id: z.string(),
    key: z.string().nullable(),
    type: z.enum(["source", "action"]),
    name: z.string(),
    description: z.string().nullable(),
    version: z.string(),
    code_hash: z.string(),
    configurable_props: z.array(ConfigurableProp),
    ...Publication,
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("FoundComponent");

const search = createRoute({
  operationId: "searchComponents",
  method: "get",
  path: "/components/search",
  request: {
    query: z
      .object({
        query: z.string().min(1).max(1000),
        app: z.string().min(1).max(200).optional(),
        type: z.enum(["source", "action"]).optional(),
        limit: Limit,
        after: cursor(hitOf),
        before: cursor(hitOf),
      })
      .refine(oneCursor.check, oneCursor.issue),
  },
  responses: many(FoundBody),
});

export const registry = createRouter().openapi(search, async (c) => {
  const { query, app, type, ...request } = await openPage(c, c.req.valid("query"));
  const page = await searchComponents(c.var.context, { query, app, type }, request);
  const page_info = await pageInfo(c, page, positionOfHit);
  return c.json({ page_info, data: page.items.map(presentFound) }, 200);
});

function presentFound(component: Hit): z.input<typeof FoundBody> {
  const { definition } = component;
  return {
    id: component.id,
    key: component.key,
    type: definition.type,
    name: component.name,
    description: definition.description ?? null,
    version: component.version,
    code_hash: component.codeHash,
    configurable_props: definition.props,
    license: component.license,
    deprecated: component.deprecated,
    created_at: component.createdAt,
    updated_at: component.updatedAt,
  };
}

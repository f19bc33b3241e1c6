import { createRoute, z } from "@hono/zod-openapi";

import { encodeCursor, hitOf } from "#domain/page.ts";
import { type Hit, searchComponents } from "#services/registry.ts";

import { createRouter, cursor, Limit, many, oneCursor } from "../openapi.ts";
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
  const { query, app, type, ...request } = c.req.valid("query");
  const found = await searchComponents(c.var.context, { query, app, type }, request);
  return c.json(foundBody(found), 200);
});

function foundBody({ items, totalCount }: { items: Hit[]; totalCount: number }) {
  const [first, last] = [items[0], items.at(-1)].map((hit) =>
    hit ? encodeCursor({ kind: "hit", score: hit.score, key: hit.key ?? "" }) : null,
  );
  return {
    page_info: {
      total_count: totalCount,
      count: items.length,
      start_cursor: first ?? null,
      end_cursor: last ?? null,
    },
    data: items.map(presentFound),
  };
}

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

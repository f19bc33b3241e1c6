import { createRoute, z } from "@hono/zod-openapi";

import { FOUND_TYPES, search } from "#services/search.ts";

import { allWith, createRouter, digits, Ownership, workspaceIn } from "../openapi.ts";

const MAX_FOUND = 50;
const MAX_OFFSET = 1_000_000;

const FoundBody = z
  .object({
    type: z.enum(FOUND_TYPES),
    id: z.string(),
    name: z.string(),
    detail: z.string().nullable(),
    parent_id: z.string().nullable(),
    owner_id: z.string(),
  })
  .openapi("Found");

const find = createRoute({
  operationId: "search",
  method: "get",
  path: "/search",
  request: {
    query: z.object({
      q: z.string().trim().min(1).max(200),
      limit: digits(z.int().min(1).max(MAX_FOUND)).default(20),
      offset: digits(z.int().min(0).max(MAX_OFFSET)).default(0),
      ...Ownership,
    }),
  },
  responses: allWith(FoundBody, { next_offset: z.number().int().nullable() }),
});

export const searching = createRouter().openapi(find, async (c) => {
  const { q: text, limit, offset, ...ownership } = c.req.valid("query");
  const request = { text, limit, offset, workspace: workspaceIn(ownership) };
  const { found, nextOffset } = await search(c.var.context, request);
  const data = found.map(({ ownerId, parentId, ...rest }) => ({
    ...rest,
    parent_id: parentId,
    owner_id: ownerId,
  }));
  return c.json({ data, next_offset: nextOffset }, 200);
});

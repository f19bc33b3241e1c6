import { createRoute, z } from "@hono/zod-openapi";

import { endpointUrls } from "#domain/endpoints.ts";
import { MAX_SHARDS } from "#domain/source-shards.ts";
import type { Context } from "#services/context.ts";
import { createSource } from "#services/sources/create.ts";
import { deleteSource } from "#services/sources/delete.ts";
import {
  getSource,
  listSources,
  listWorkspaceSources,
  type Source,
} from "#services/sources/read.ts";
import { updateSource } from "#services/sources/update.ts";

import {
  codeFailures,
  conflict,
  createRouter,
  digits,
  FilteredQuery,
  Flag,
  idOf,
  JsonObject,
  many,
  none,
  one,
  Ownership,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { SourceId } from "../resource-ids.ts";
import { workspaceList } from "../workspace-list.ts";
import { CodeFields, codeIn } from "./components.ts";

const SourceBody = z
  .object({
    id: z.string(),
    user_id: z.string(),
    component_id: z.string(),
    configured_props: z.record(z.string(), z.any()),
    active: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
    name: z.string(),
    name_slug: z.string(),
    shards: z.int().optional(),
  })
  .openapi("Source");

const SHARDS_RULE = `must be a whole number from 1 to ${MAX_SHARDS}`;

const Shards = digits(z.int(SHARDS_RULE).min(1, SHARDS_RULE).max(MAX_SHARDS, SHARDS_RULE));

const SourceParams = z.object({
  component_id: idOf("component", "sc_5d0").nullish(),
  ...CodeFields,
  key: z.string().min(1).nullish(),
  name: z.string().trim().min(1).max(256).nullish(),
  configured_props: JsonObject.nullish(),
  shards: Shards.nullish(),
});

const create = createRoute({
  operationId: "createSource",
  method: "post",
  path: "/sources",
  request: { body: params(SourceParams.extend(Ownership)) },
  responses: one(SourceBody, codeFailures),
});

const update = createRoute({
  operationId: "updateSource",
  method: "put",
  path: "/sources/{id}",
  description:
    "Without component_id, component_code, component_files and component_url (or key) the source keeps its code: name, active, configured_props and shards can change without it.",
  request: { params: SourceId, body: params(SourceParams.extend({ active: Flag.nullish() })) },
  responses: one(SourceBody, { ...codeFailures, ...conflict }),
});

const read = createRoute({
  operationId: "getSource",
  method: "get",
  path: "/sources/{id}",
  request: { params: SourceId },
  responses: one(SourceBody),
});

const remove = createRoute({
  operationId: "deleteSource",
  method: "delete",
  path: "/sources/{id}",
  request: { params: SourceId },
  responses: { ...none, ...conflict },
});

const list = createRoute({
  operationId: "listSources",
  method: "get",
  path: "/users/me/sources",
  request: { query: FilteredQuery },
  responses: many(SourceBody),
});

const listOfWorkspace = workspaceList("listWorkspaceSources", "sources", {
  query: FilteredQuery,
  body: SourceBody,
});

export const sources = createRouter()
  .openapi(create, async (c) => {
    const input = c.req.valid("json");
    const source = await createSource(c.var.context, {
      ...wanted(input),
      workspace: workspaceIn(input),
    });
    return c.json({ data: present(c.var.context, source) }, 200);
  })
  .openapi(update, async (c) => {
    const input = c.req.valid("json");
    const change = { ...wanted(input), active: input.active ?? undefined };
    const source = await updateSource(c.var.context, c.req.valid("param").id, change);
    return c.json({ data: present(c.var.context, source) }, 200);
  })
  .openapi(read, async (c) => {
    const source = await getSource(c.var.context, c.req.valid("param").id);
    return c.json({ data: present(c.var.context, source) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteSource(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(list, async (c) => {
    const { context } = c.var;
    const page = await listSources(context, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, (source) => present(context, source)), 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { context } = c.var;
    const { id } = c.req.valid("param");
    const page = await listWorkspaceSources(context, id, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, (source) => present(context, source)), 200);
  });

function wanted(input: z.output<typeof SourceParams>) {
  return {
    componentId: input.component_id ?? undefined,
    ...codeIn(input),
    key: input.key ?? undefined,
    name: input.name ?? undefined,
    configuredProps: input.configured_props ?? undefined,
    shards: input.shards ?? undefined,
  };
}

function present({ origin }: Context, source: Source): z.input<typeof SourceBody> {
  const urls = Object.entries(endpointUrls(origin, source.endpoints));
  const endpoints = urls.map(([prop, endpoint_url]) => [prop, { endpoint_url }]);
  return {
    id: source.id,
    user_id: source.userId,
    component_id: source.componentId,
    configured_props: { ...source.shownProps, ...Object.fromEntries(endpoints) },
    active: source.active,
    created_at: source.createdAt,
    updated_at: source.updatedAt,
    name: source.name,
    name_slug: source.nameSlug,
    ...(source.shards > 1 && { shards: source.shards }),
  };
}

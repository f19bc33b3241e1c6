import { createRoute, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";

import type { Author } from "#services/components.ts";
import type { AppContext } from "#services/context.ts";
import {
  deprecateVersion,
  diffVersions,
  listPublished,
  listVersions,
  type PublishedVersion,
  type Reader,
  unpublishVersion,
} from "#services/published.ts";

import type { AppEnv } from "./env.ts";
import { createRouter, many, none, one, PageQuery, params } from "./openapi.ts";
import { openPage, pageBody } from "./pages.ts";

/** The caller of a registry: the publisher, and the order in which keys are looked up. */
export type RegistryCaller = { ctx: AppContext; author: Author; reader: Reader };

const VersionBody = z
  .object({
    component_id: z.string(),
    owner_id: z.string(),
    key: z.string().nullable(),
    name: z.string(),
    type: z.enum(["source", "action"]),
    version: z.string(),
    license: z.string().nullable(),
    deprecated: z.string().nullable(),
    unpublished_at: z.int().nullable(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("PublishedVersion");

const Changed = {
  from: z.any(),
  to: z.any(),
};

const DiffBody = z
  .object({
    key: z.string(),
    from: z.string(),
    to: z.string(),
    code: z.string(),
    omitted: z.array(z.string()),
    props: z.array(
      z.object({
        name: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        ...Changed,
      }),
    ),
    fields: z.array(z.object({ field: z.string(), ...Changed })),
  })
  .openapi("ComponentDiff");

const Key = z.object({ key: z.string() });
const KeyAndVersion = z.object({ key: z.string(), version: z.string() });

const list = createRoute({
  operationId: "listPublishedComponents",
  method: "get",
  path: "/registry",
  description: "The newest version of each key. With `org_id`, those of the workspace.",
  request: { query: PageQuery },
  responses: many(VersionBody),
});

const listOfKey = createRoute({
  operationId: "listComponentVersions",
  method: "get",
  path: "/registry/{key}/versions",
  description:
    "Of the first registry that has the key: the caller's own, a workspace's, the global.",
  request: { params: Key, query: PageQuery },
  responses: many(VersionBody),
});

const unpublish = createRoute({
  operationId: "unpublishComponentVersion",
  method: "delete",
  path: "/registry/{key}/versions/{version}",
  description:
    "The key then resolves to the newest remaining version. Deployed sources and workflows keep running.",
  request: { params: KeyAndVersion },
  responses: none,
});

const deprecate = createRoute({
  operationId: "deprecateComponentVersion",
  method: "put",
  path: "/registry/{key}/versions/{version}",
  request: {
    params: KeyAndVersion,
    body: params(
      z.object({
        deprecated: z.string().min(1).max(1000).nullable(),
      }),
    ),
  },
  responses: one(VersionBody),
});

const diff = createRoute({
  operationId: "diffComponentVersions",
  method: "get",
  path: "/registry/{key}/diff",
  request: {
    params: Key,
    query: z.object({ from: z.string().min(1), to: z.string().min(1) }),
  },
  responses: one(DiffBody),
});

/** The operations on published components, the same for users and the operator. */
export function registryRoutes(callerOf: (c: HonoContext<AppEnv>) => RegistryCaller) {
  return createRouter()
    .openapi(list, async (c) => {
      const { ctx, author } = callerOf(c);
      const page = await listPublished(ctx, author.owner, await openPage(c, c.req.valid("query")));
      return c.json(await pageBody(c, page, presentVersion), 200);
    })
    .openapi(listOfKey, async (c) => {
      const { ctx, reader } = callerOf(c);
      const request = { ...(await openPage(c, c.req.valid("query"))), ...c.req.valid("param") };
      return c.json(
        await pageBody(c, await listVersions(ctx, reader, request), presentVersion),
        200,
      );
    })
    .openapi(unpublish, async (c) => {
      const { ctx, author } = callerOf(c);
      await unpublishVersion(ctx, author.owner, c.req.valid("param"));
      return c.body(null, 204);
    })
    .openapi(deprecate, async (c) => {
      const { ctx, author } = callerOf(c);
      const change = { ...c.req.valid("json"), ...c.req.valid("param") };
      const version = await deprecateVersion(ctx, author.owner, change);
      return c.json({ data: presentVersion(version) }, 200);
    })
    .openapi(diff, async (c) => {
      const { ctx, reader } = callerOf(c);
      const named = { ...c.req.valid("query"), ...c.req.valid("param") };
      return c.json({ data: { ...named, ...(await diffVersions(ctx, reader, named)) } }, 200);
    });
}

function presentVersion(found: PublishedVersion): z.input<typeof VersionBody> {
  return {
    component_id: found.id,
    owner_id: found.ownerId,
    key: found.key,
    name: found.name,
    type: found.definition.type,
    version: found.version,
    license: found.license,
    deprecated: found.deprecated,
    unpublished_at: found.unpublishedAt,
    created_at: found.createdAt,
    updated_at: found.updatedAt,
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import { OverrideSettings } from "#domain/app-overrides.ts";
import {
  type AppOverride,
  createAppOverride,
  deleteAppOverride,
  getAppOverride,
  listAppOverrides,
  updateAppOverride,
} from "#services/connect/app-overrides.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { createRouter, idOf, many, none, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { isoTime, itself } from "./responses.ts";

const AppOverrideBody = z
  .object({
    id: z.string(),
    name: z.string(),
    app: AppBody,
    oauth_app_id: z.string().optional(),
    cfmap: z.record(z.string(), z.any()).openapi({
      description: "The values of fields that are no secrets, by name",
      additionalProperties: { type: "string" },
    }),
    fields: OverrideSettings.shape.fields,
    test: OverrideSettings.shape.test,
    owner_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("AppOverride");

const Project = z.object({ project: z.string() });
const OverrideId = Project.extend({ id: idOf("app_override", "aov_5d0") });
const Slug = z.string().min(1).max(100);
const Name = z.string().trim().min(1).max(200);
const OauthAppId = z.string().max(100).nullish();
const Values = z
  .record(z.string().max(100), z.string().max(10_000))
  .openapi({ description: "Values of the app's fields by name; users do not fill these in" });

const list = createRoute({
  operationId: "listAppOverrides",
  method: "get",
  path: "/{project}/app_overrides",
  request: { params: Project, query: PageQuery.safeExtend({ app: Slug.optional() }) },
  responses: many(AppOverrideBody),
});

const create = createRoute({
  operationId: "createAppOverride",
  method: "post",
  path: "/{project}/app_overrides",
  request: {
    params: Project,
    body: params(
      z.strictObject({
        app: Slug,
        name: Name,
        oauth_app_id: OauthAppId,
        cfmap: Values.default({}),
        ...OverrideSettings.shape,
      }),
    ),
  },
  responses: itself(AppOverrideBody),
});

const read = createRoute({
  operationId: "getAppOverride",
  method: "get",
  path: "/{project}/app_overrides/{id}",
  request: { params: OverrideId },
  responses: itself(AppOverrideBody),
});

const update = createRoute({
  operationId: "updateAppOverride",
  method: "put",
  path: "/{project}/app_overrides/{id}",
  request: {
    params: OverrideId,
    body: params(
      z.strictObject({
        name: Name.optional(),
        oauth_app_id: OauthAppId,
        cfmap: Values.optional(),
        ...OverrideSettings.shape,
      }),
    ),
  },
  responses: itself(AppOverrideBody),
});

const remove = createRoute({
  operationId: "deleteAppOverride",
  method: "delete",
  path: "/{project}/app_overrides/{id}",
  request: { params: OverrideId },
  responses: none,
});

export const appOverrides = createRouter()
  .openapi(list, async (c) => {
    const page = await listAppOverrides(c.var.project, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(create, async (c) => {
    const { app, name, oauth_app_id, cfmap: values, fields, test } = c.req.valid("json");
    const settings = { fields, test };
    const input = { app, name, oauthAppId: oauth_app_id ?? undefined, fields: values, settings };
    return c.json(present(await createAppOverride(c.var.project, input)), 200);
  })
  .openapi(read, async (c) =>
    c.json(present(await getAppOverride(c.var.project, c.req.valid("param").id)), 200),
  )
  .openapi(update, async (c) => {
    const { name, oauth_app_id, cfmap: values, ...settings } = c.req.valid("json");
    const { id } = c.req.valid("param");
    // Null: users sign in by another client again.
    const oauthAppId = oauth_app_id === null ? "" : oauth_app_id;
    const change = { name, oauthAppId, fields: values, settings };
    const changed = await updateAppOverride(c.var.project, id, change);
    return c.json(present(changed), 200);
  })
  .openapi(remove, async (c) => {
    await deleteAppOverride(c.var.project, c.req.valid("param").id);
    return c.body(null, 204);
  });

function present(override: AppOverride): z.output<typeof AppOverrideBody> {
  const { id, name, about, oauthAppId, shown, settings, projectId, createdAt, updatedAt } =
    override;
  return {
    id,
    name,
    app: presentApp(about),
    ...(oauthAppId !== null && { oauth_app_id: oauthAppId }),
    cfmap: shown,
    ...settings,
    owner_id: projectId,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

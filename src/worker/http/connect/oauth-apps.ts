import { createRoute, z } from "@hono/zod-openapi";

import { OauthEndpoints } from "#domain/app-overrides.ts";
import type { App } from "#domain/apps.ts";
import { appsFor } from "#services/connect/apps.ts";
import type { ProjectContext } from "#services/connect/context.ts";
import {
  createProjectOauthApp,
  deleteProjectOauthApp,
  getProjectOauthApp,
  listProjectOauthApps,
  type ProjectOauthApp,
  updateProjectOauthApp,
} from "#services/connect/project-oauth-apps.ts";
import { redirectUriOf } from "#services/connect/redirect-uri.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { createRouter, idOf, many, none, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { isoTime, itself } from "./responses.ts";

const OauthAppBody = AppBody.extend({
  client_id: z.string(),
  scopes: z.array(z.string()).optional(),
  additional_scopes: z.array(z.string()).optional(),
  oauth: OauthEndpoints.optional(),
  redirect_uri: z.string().openapi({ description: "To be registered at the provider" }),
  owner_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
}).openapi("ProjectOauthApp");

const Project = z.object({ project: z.string() });
const OauthAppId = Project.extend({ id: idOf("oauth_app", "oa_5d0") });
const Slug = z.string().min(1).max(100);
const Scopes = z.array(z.string().min(1).max(400)).max(200);

const Fields = {
  name: z.string().trim().min(1).max(200),
  description: z.string().max(4000),
  client_id: z.string().min(1).max(1000),
  client_secret: z.string().min(1).max(4000),
  scopes: Scopes,
  additional_scopes: Scopes,
  oauth: OauthEndpoints.nullable(),
};

const list = createRoute({
  operationId: "listProjectOauthApps",
  method: "get",
  path: "/{project}/oauth_apps",
  request: {
    params: Project,
    query: PageQuery.safeExtend({ app: Slug.optional(), q: z.string().max(200).optional() }),
  },
  responses: many(OauthAppBody),
});

const create = createRoute({
  operationId: "createProjectOauthApp",
  method: "post",
  path: "/{project}/oauth_apps",
  request: {
    params: Project,
    body: params(
      z.strictObject({ app: Slug, ...Fields }).partial({
        name: true,
        description: true,
        scopes: true,
        additional_scopes: true,
        oauth: true,
      }),
    ),
  },
  responses: itself(OauthAppBody),
});

const read = createRoute({
  operationId: "getProjectOauthApp",
  method: "get",
  path: "/{project}/oauth_apps/{id}",
  request: { params: OauthAppId },
  responses: itself(OauthAppBody),
});

const update = createRoute({
  operationId: "updateProjectOauthApp",
  method: "put",
  path: "/{project}/oauth_apps/{id}",
  request: { params: OauthAppId, body: params(z.strictObject(Fields).partial()) },
  responses: itself(OauthAppBody),
});

const remove = createRoute({
  operationId: "deleteProjectOauthApp",
  method: "delete",
  path: "/{project}/oauth_apps/{id}",
  request: { params: OauthAppId },
  responses: none,
});

export const projectOauthApps = createRouter()
  .openapi(list, async (c) => {
    const page = await listProjectOauthApps(c.var.project, await openPage(c, c.req.valid("query")));
    const shown = await presentAll(c.var.project, page.items);
    return c.json({ ...(await pageBody(c, page, ({ id }) => id)), data: shown }, 200);
  })
  .openapi(create, async (c) => {
    const { app, ...input } = c.req.valid("json");
    const created = await createProjectOauthApp(c.var.project, {
      app,
      ...inputOf(input),
      clientId: input.client_id,
      clientSecret: input.client_secret,
    });
    return c.json(await presentOne(c.var.project, created), 200);
  })
  .openapi(read, async (c) => {
    const found = await getProjectOauthApp(c.var.project, c.req.valid("param").id);
    return c.json(await presentOne(c.var.project, found), 200);
  })
  .openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const changed = await updateProjectOauthApp(c.var.project, id, inputOf(c.req.valid("json")));
    return c.json(await presentOne(c.var.project, changed), 200);
  })
  .openapi(remove, async (c) => {
    await deleteProjectOauthApp(c.var.project, c.req.valid("param").id);
    return c.body(null, 204);
  });

type Given = { [K in keyof typeof Fields]?: z.output<(typeof Fields)[K]> | undefined };

function inputOf(given: Given) {
  const { client_id, client_secret, additional_scopes, oauth, ...same } = given;
  return {
    ...same,
    clientId: client_id,
    clientSecret: client_secret,
    additionalScopes: additional_scopes,
    endpoints: oauth,
  };
}

type Body = z.output<typeof OauthAppBody>;

async function presentOne(ctx: ProjectContext, row: ProjectOauthApp): Promise<Body> {
  const [body] = await presentAll(ctx, [row]);
  if (!body) throw new Error(`${row.id} was not presented`);
  return body;
}

async function presentAll(ctx: ProjectContext, rows: readonly ProjectOauthApp[]): Promise<Body[]> {
  const apps = await appsFor(ctx, [...new Set(rows.map(({ app }) => app))]);
  return rows.map((row) => {
    const app = apps.find(({ slug }) => slug === row.app);
    if (!app) throw new Error(`${row.app} was not looked up`);
    return present(ctx, row, app);
  });
}

function present(ctx: ProjectContext, row: ProjectOauthApp, app: App): Body {
  const { id, name, description, clientId, scopes, additionalScopes, endpoints } = row;
  return {
    ...presentApp(app),
    id,
    name,
    ...(description !== null && { description }),
    client_id: clientId,
    ...(scopes !== null && { scopes }),
    ...(additionalScopes !== null && { additional_scopes: additionalScopes }),
    ...(endpoints !== null && { oauth: endpoints }),
    redirect_uri: redirectUriOf(ctx, id),
    owner_id: row.projectId,
    created_at: isoTime(row.createdAt),
    updated_at: isoTime(row.updatedAt),
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import { AppSettings, isSlug } from "#domain/connect/app-settings.ts";
import { deleteApp, getApp, putApp } from "#services/connect/apps.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { createRouter, none, one, params } from "../openapi.ts";

const Slug = z.object({
  slug: z.string().refine(isSlug).openapi({ example: "github" }),
});

const put = createRoute({
  operationId: "putApp",
  method: "put",
  path: "/apps/{slug}",
  request: { params: Slug, body: params(AppSettings) },
  responses: one(AppBody),
});

const read = createRoute({
  operationId: "getApp",
  method: "get",
  path: "/apps/{slug}",
  request: { params: Slug },
  responses: one(AppBody),
});

const remove = createRoute({
  operationId: "deleteApp",
  method: "delete",
  path: "/apps/{slug}",
  request: { params: Slug },
  responses: none,
});

export const apps = createRouter()
  .openapi(put, async (c) => {
    const app = await putApp(c.var.platform, c.req.valid("param").slug, c.req.valid("json"));
    return c.json({ data: presentApp(app) }, 200);
  })
  .openapi(read, async (c) => {
    return c.json(
      { data: presentApp(await getApp(c.var.platform, c.req.valid("param").slug)) },
      200,
    );
  })
  .openapi(remove, async (c) => {
    await deleteApp(c.var.platform, c.req.valid("param").slug);
    return c.body(null, 204);
  });

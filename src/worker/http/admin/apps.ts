import { createRoute, z } from "@hono/zod-openapi";

import { ORIGINS } from "#domain/connect/app-origins.ts";
import { AppSettings, isSlug } from "#domain/connect/app-settings.ts";
import { recordOf } from "#domain/page.ts";
import { type AppReport, getAppReport, listAppReports } from "#services/connect/app-report.ts";
import { deleteApp, putApp } from "#services/connect/apps.ts";

import { AppBody, presentApp } from "../app-body.ts";
import {
  createRouter,
  cursor,
  idOf,
  Limit,
  many,
  none,
  one,
  oneCursor,
  params,
} from "../openapi.ts";
import { openPage, pageInfo } from "../pages.ts";
import { Overrides, overridesOf } from "./oauth-apps.ts";

const Slug = z.object({
  slug: z.string().refine(isSlug).openapi({ example: "github" }),
});

/** An app as operators see it. */
const AdminAppBody = AppBody.extend({
  state: z.enum(["ready", "needs_client", "needs_settings"]),
  has_own_settings: z.boolean(),
  client_app: z.string(),
  client_id: z.string().nullable(),
  client_overrides: Overrides,
  redirect_uri: z.string().nullable(),
  settings: z.array(z.object({ field: z.string(), value: z.unknown(), origin: z.enum(ORIGINS) })),
  guide: z
    .object({
      docs: z.string(),
      create_at: z.string().nullable(),
      redirect_field: z.string().nullable(),
      https_only: z.boolean(),
      review: z.string().nullable(),
    })
    .nullable(),
}).openapi("AdminApp");

const put = createRoute({
  operationId: "putApp",
  method: "put",
  path: "/apps/{slug}",
  request: { params: Slug, body: params(AppSettings) },
  responses: one(AppBody),
});

const list = createRoute({
  operationId: "listApps",
  method: "get",
  path: "/apps",
  request: {
    query: z
      .object({
        limit: Limit,
        after: cursor(recordOf),
        before: cursor(recordOf),
        q: z.string().max(200).optional(),
      })
      .refine(oneCursor.check, oneCursor.issue),
  },
  responses: many(AdminAppBody),
});

const read = createRoute({
  operationId: "getApp",
  method: "get",
  path: "/apps/{slug}",
  request: {
    params: Slug,
    query: z.object({ project_id: idOf("project", "proj_5d0").optional() }),
  },
  responses: one(AdminAppBody),
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
  .openapi(list, async (c) => {
    const page = await listAppReports(c.var.platform, await openPage(c, c.req.valid("query")));
    const page_info = await pageInfo(c, page, ({ app }) => ({ kind: "record", key: app.slug }));
    return c.json({ page_info, data: page.items.map(presentReport) }, 200);
  })
  .openapi(read, async (c) => {
    const { slug } = c.req.valid("param");
    const { project_id: project } = c.req.valid("query");
    const report = await getAppReport(c.var.platform, { slug, project });
    return c.json({ data: presentReport(report) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteApp(c.var.platform, c.req.valid("param").slug);
    return c.body(null, 204);
  });

function presentReport(report: AppReport): z.input<typeof AdminAppBody> {
  return {
    ...presentApp(report.app),
    state: report.state,
    has_own_settings: report.hasOwnSettings,
    client_app: report.clientApp,
    client_id: report.client?.clientId ?? null,
    client_overrides: report.client ? overridesOf(report.client) : [],
    redirect_uri: report.redirectUri ?? null,
    settings: report.settings,
    guide: report.guide ? presentGuide(report.guide) : null,
  };
}

function presentGuide({ docs, client = {} }: NonNullable<AppReport["guide"]>) {
  return {
    docs,
    create_at: client.create_at ?? null,
    redirect_field: client.redirect_field ?? null,
    https_only: client.https_only ?? false,
    review: client.review ?? null,
  };
}

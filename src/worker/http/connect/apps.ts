import { createRoute, z } from "@hono/zod-openapi";

import { recordOf } from "#domain/page.ts";
import { getCategory, listApps, listCategories } from "#services/connect/app-list.ts";
import { getApp } from "#services/connect/apps.ts";
import { listProjectOauthApps } from "#services/connect/project-oauth-apps.ts";

import { AppBody, presentApp } from "../app-body.ts";
import { createRouter, cursor, Flag, Limit, many, one, oneCursor } from "../openapi.ts";
import { openPage, pageInfo } from "../pages.ts";
import { itself } from "./responses.ts";

const CategoryBody = z.object({ id: z.string(), name: z.string() }).openapi("AppCategory");
const Text = z.string().min(1).max(100);

/** One category, or several separated by commas. */
const Categories = z
  .string()
  .max(10_000)
  .transform((ids) => ids.split(",").filter((id) => id !== ""));

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
        sort_key: z.enum(["name", "name_slug", "featured_weight"]).default("name_slug"),
        sort_direction: z.enum(["asc", "desc"]).default("asc"),
        category_ids: z.union([Categories, z.array(Text).max(100)]).optional(),
        has_components: Flag.optional(),
        has_actions: Flag.optional(),
        has_triggers: Flag.optional(),
      })
      .refine(oneCursor.check, oneCursor.issue),
  },
  responses: many(AppBody),
});

const read = createRoute({
  operationId: "getApp",
  method: "get",
  path: "/apps/{slug}",
  request: { params: z.object({ slug: Text }) },
  responses: one(AppBody),
});

const categories = createRoute({
  operationId: "listAppCategories",
  method: "get",
  path: "/app_categories",
  responses: itself(z.array(CategoryBody)),
});

const readCategory = createRoute({
  operationId: "getAppCategory",
  method: "get",
  path: "/app_categories/{id}",
  request: { params: z.object({ id: Text }) },
  responses: itself(CategoryBody),
});

const info = createRoute({
  operationId: "getProjectInfo",
  method: "get",
  path: "/{project}/projects/info",
  request: { params: z.object({ project: z.string() }) },
  responses: itself(
    z.object({
      apps: z.array(z.object({ id: z.string(), name_slug: z.string() })),
    }),
  ),
});

/** Apps, which are the same for all customers. */
export const apps = createRouter()
  .openapi(list, async (c) => {
    const query = await openPage(c, c.req.valid("query"));
    const { limit, after, before, q } = query;
    const page = await listApps(c.var.connect, {
      limit,
      after,
      before,
      q,
      sortKey: query.sort_key,
      isDescending: query.sort_direction === "desc",
      categories: query.category_ids,
      having: [
        ...(query.has_components ? (["component"] as const) : []),
        ...(query.has_actions ? (["action"] as const) : []),
        ...(query.has_triggers ? (["source"] as const) : []),
      ],
    });
    const page_info = await pageInfo(c, page, ({ slug }) => ({ kind: "record", key: slug }));
    return c.json({ page_info, data: page.items.map(presentApp) }, 200);
  })
  .openapi(read, async (c) => {
    const app = await getApp(c.var.connect, c.req.valid("param").slug);
    return c.json({ data: presentApp(app) }, 200);
  })
  .openapi(categories, async (c) => c.json(await listCategories(c.var.connect), 200))
  .openapi(readCategory, async (c) =>
    c.json(await getCategory(c.var.connect, c.req.valid("param").id), 200),
  );

/** The apps that users of a project connect by its own OAuth clients. */
export const projectInfo = createRouter().openapi(info, async (c) => {
  const { items } = await listProjectOauthApps(c.var.project, { limit: 100 });
  return c.json({ apps: items.map(({ id, app }) => ({ id, name_slug: app })) }, 200);
});

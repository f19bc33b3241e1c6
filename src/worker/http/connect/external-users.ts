import { createRoute, z } from "@hono/zod-openapi";

import {
  deleteExternalUser,
  type ExternalUser,
  listExternalUsers,
} from "#services/connect/external-users.ts";

import { createRouter, many, none, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { isoTime } from "./responses.ts";

const ExternalUserBody = z
  .object({
    id: z.string(),
    external_id: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .openapi("ExternalUser");

const Project = z.object({ project: z.string() });

const list = createRoute({
  operationId: "listExternalUsers",
  method: "get",
  path: "/{project}/users",
  request: { params: Project, query: PageQuery.safeExtend({ q: z.string().max(250).optional() }) },
  responses: many(ExternalUserBody),
});

const remove = createRoute({
  operationId: "deleteExternalUser",
  method: "delete",
  path: "/{project}/users/{external_user_id}",
  request: { params: Project.extend({ external_user_id: z.string() }) },
  responses: none,
});

export const externalUsers = createRouter()
  .openapi(list, async (c) => {
    const page = await listExternalUsers(c.var.project, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(remove, async (c) => {
    await deleteExternalUser(c.var.project, c.req.valid("param").external_user_id);
    return c.body(null, 204);
  });

function present(user: ExternalUser): z.input<typeof ExternalUserBody> {
  const { id, externalId, createdAt, updatedAt } = user;
  return {
    id,
    external_id: externalId,
    created_at: isoTime(createdAt),
    updated_at: isoTime(updatedAt),
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import {
  createProject,
  deleteProject,
  getProject,
  listProjects,
  type Project,
  updateProject,
} from "#services/connect/projects.ts";

import { Email } from "../admin/users.ts";
import {
  createRouter,
  Flag,
  idOf,
  many,
  none,
  Ownership,
  PageQuery,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { itself } from "./responses.ts";

const MAX_LOGO_CHARACTERS = 500_000;

const ProjectBody = z
  .object({
    id: z.string(),
    name: z.string(),
    app_name: z.string().optional(),
    support_email: z.string().optional(),
    connect_require_key_auth_test: z.boolean(),
  })
  .openapi("Project");

const Fields = {
  app_name: z.string().max(200).nullish(),
  support_email: Email.max(320).nullish(),
  connect_require_key_auth_test: Flag.nullish(),
};
const Name = z.string().trim().min(1).max(200);
const ProjectId = z.object({ id: idOf("project", "proj_5d0") });

const create = createRoute({
  operationId: "createProject",
  method: "post",
  path: "/projects",
  request: { body: params(z.strictObject({ name: Name, ...Fields, ...Ownership })) },
  responses: itself(ProjectBody),
});

const list = createRoute({
  operationId: "listProjects",
  method: "get",
  path: "/projects",
  request: { query: PageQuery.safeExtend({ q: z.string().max(200).optional() }) },
  responses: many(ProjectBody),
});

const read = createRoute({
  operationId: "getProject",
  method: "get",
  path: "/projects/{id}",
  request: { params: ProjectId },
  responses: itself(ProjectBody),
});

const update = createRoute({
  operationId: "updateProject",
  method: "patch",
  path: "/projects/{id}",
  request: {
    params: ProjectId,
    body: params(z.strictObject({ name: Name.optional(), ...Fields })),
  },
  responses: itself(ProjectBody),
});

const remove = createRoute({
  operationId: "deleteProject",
  method: "delete",
  path: "/projects/{id}",
  request: { params: ProjectId },
  responses: none,
});

const setLogo = createRoute({
  operationId: "setProjectLogo",
  method: "post",
  path: "/projects/{id}/logo",
  request: {
    params: ProjectId,
    body: params(
      z.strictObject({
        logo: z
          .string()
          .max(MAX_LOGO_CHARACTERS)
          .regex(
            /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$/,
            "must be a data URL of a PNG, JPEG, GIF or WebP image",
          ),
      }),
    ),
  },
  responses: none,
});

export const projects = createRouter()
  .openapi(create, async (c) => {
    const input = c.req.valid("json");
    const project = await createProject(c.var.connect, {
      name: input.name,
      appName: input.app_name ?? undefined,
      supportEmail: input.support_email ?? undefined,
      requireKeyAuthTest: input.connect_require_key_auth_test ?? undefined,
      workspace: workspaceIn(input),
    });
    return c.json(present(project), 200);
  })
  .openapi(list, async (c) => {
    const page = await listProjects(c.var.connect, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(read, async (c) => {
    const project = await getProject(c.var.connect, c.req.valid("param").id);
    return c.json(present(project), 200);
  })
  .openapi(update, async (c) => {
    const { name, app_name, support_email, connect_require_key_auth_test } = c.req.valid("json");
    const project = await updateProject(c.var.connect, c.req.valid("param").id, {
      ...(name !== undefined && { name }),
      ...(app_name !== undefined && { appName: app_name }),
      ...(support_email !== undefined && { supportEmail: support_email }),
      ...(typeof connect_require_key_auth_test === "boolean" && {
        requireKeyAuthTest: connect_require_key_auth_test,
      }),
    });
    return c.json(present(project), 200);
  })
  .openapi(remove, async (c) => {
    await deleteProject(c.var.connect, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(setLogo, async (c) => {
    const { logo } = c.req.valid("json");
    await updateProject(c.var.connect, c.req.valid("param").id, { logo });
    return c.body(null, 204);
  });

function present(project: Project): z.input<typeof ProjectBody> {
  return {
    id: project.id,
    name: project.name,
    ...(project.appName !== null && { app_name: project.appName }),
    ...(project.supportEmail !== null && { support_email: project.supportEmail }),
    connect_require_key_auth_test: project.requireKeyAuthTest,
  };
}

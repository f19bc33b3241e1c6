import { createRoute } from "@hono/zod-openapi";

import { getWorkspace, listMembers, listOwnWorkspaces } from "#services/workspaces.ts";

import { MemberBody, presentMember } from "../member-body.ts";
import { all, createRouter, many, one, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { WorkspaceId } from "../resource-ids.ts";
import { OrgBody, presentOrg, presentWorkspace, WorkspaceBody } from "../workspace-body.ts";

const list = createRoute({
  operationId: "listWorkspaces",
  method: "get",
  path: "/workspaces",
  responses: all(OrgBody),
});

const read = createRoute({
  operationId: "getWorkspace",
  method: "get",
  path: "/workspaces/{id}",
  request: { params: WorkspaceId },
  responses: one(WorkspaceBody),
});

const members = createRoute({
  operationId: "listMembers",
  method: "get",
  path: "/workspaces/{id}/members",
  request: { params: WorkspaceId, query: PageQuery },
  responses: many(MemberBody),
});

export const workspaces = createRouter()
  .openapi(list, async (c) => {
    const found = await listOwnWorkspaces(c.var.context);
    return c.json({ data: found.map(presentOrg) }, 200);
  })
  .openapi(read, async (c) => {
    const workspace = await getWorkspace(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentWorkspace(workspace) }, 200);
  })
  .openapi(members, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listMembers(c.var.context, id, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, presentMember), 200);
  });

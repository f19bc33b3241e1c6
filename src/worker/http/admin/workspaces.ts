import { createRoute, z } from "@hono/zod-openapi";

import {
  addMember,
  createWorkspace,
  listAllWorkspaces,
  type ListedWorkspace,
  membersOf,
  removeMember,
  type Workspace,
} from "#services/workspaces.ts";

import { MemberBody as WorkspaceMember, presentMember } from "../member-body.ts";
import { createRouter, idOf, many, none, one, PageQuery, params } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { presentQuotas, QuotasBody } from "../quotas-body.ts";
import { WorkspaceId } from "../resource-ids.ts";
import { Email } from "./users.ts";

const WorkspacePlan = z.enum(["free", "paid", "legacy"]);

const WorkspaceBody = z
  .object({
    id: z.string(),
    orgname: z.string(),
    name: z.string(),
    email: z.string(),
    plan: WorkspacePlan,
    created_at: z.int(),
  })
  .openapi("NewWorkspace");

const MemberBody = z.object({ workspace_id: z.string(), user_id: z.string() }).openapi("Member");

const Member = WorkspaceId.extend({ user_id: idOf("user", "u_5d0") });

const create = createRoute({
  operationId: "createWorkspace",
  method: "post",
  path: "/workspaces",
  request: {
    body: params(
      z.object({
        orgname: z.string().trim().min(1),
        name: z.string().trim().min(1),
        email: Email,
        plan: WorkspacePlan.default("free"),
      }),
    ),
  },
  responses: one(WorkspaceBody),
});

const ListedBody = z
  .object({
    id: z.string(),
    orgname: z.string(),
    name: z.string(),
    email: z.string(),
    plan: WorkspacePlan,
    ...QuotasBody.shape,
    members: z.int(),
    sources: z.int(),
    workflows: z.int(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("ListedWorkspace");

const list = createRoute({
  operationId: "listAllWorkspaces",
  method: "get",
  path: "/workspaces",
  request: { query: PageQuery.safeExtend({ q: z.string().optional() }) },
  responses: many(ListedBody),
});

const listMembers = createRoute({
  operationId: "listMembersOf",
  method: "get",
  path: "/workspaces/{id}/members",
  request: { params: WorkspaceId, query: PageQuery },
  responses: many(WorkspaceMember),
});

const add = createRoute({
  operationId: "addMember",
  method: "put",
  path: "/workspaces/{id}/members/{user_id}",
  request: { params: Member },
  responses: one(MemberBody),
});

const remove = createRoute({
  operationId: "removeMember",
  method: "delete",
  path: "/workspaces/{id}/members/{user_id}",
  request: { params: Member },
  responses: none,
});

export const workspaces = createRouter()
  .openapi(create, async (c) => {
    const workspace = await createWorkspace(c.var.platform, c.req.valid("json"));
    return c.json({ data: present(workspace) }, 200);
  })
  .openapi(list, async (c) => {
    const page = await listAllWorkspaces(c.var.platform, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, presentListed), 200);
  })
  .openapi(listMembers, async (c) => {
    const { id } = c.req.valid("param");
    const page = await membersOf(c.var.platform, id, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, presentMember), 200);
  })
  .openapi(add, async (c) => {
    const { id, user_id } = c.req.valid("param");
    const { workspaceId, userId } = await addMember(c.var.platform, id, user_id);
    return c.json({ data: { workspace_id: workspaceId, user_id: userId } }, 200);
  })
  .openapi(remove, async (c) => {
    const { id, user_id } = c.req.valid("param");
    await removeMember(c.var.platform, id, user_id);
    return c.body(null, 204);
  });

function present(workspace: Workspace): z.input<typeof WorkspaceBody> {
  return {
    id: workspace.id,
    orgname: workspace.orgname,
    name: workspace.name,
    email: workspace.email,
    plan: workspace.plan,
    created_at: workspace.createdAt,
  };
}

function presentListed(workspace: ListedWorkspace): z.input<typeof ListedBody> {
  const { members, sources, workflows } = workspace;
  return {
    ...present(workspace),
    ...presentQuotas(workspace),
    members,
    sources,
    workflows,
    updated_at: workspace.updatedAt,
  };
}

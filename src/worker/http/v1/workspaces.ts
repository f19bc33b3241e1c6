import { createRoute, z } from "@hono/zod-openapi";

import { getWorkspace } from "#services/workspaces.ts";

import { createRouter, idOf, one } from "../openapi.ts";
import { presentWorkspace, WorkspaceBody } from "../workspace-body.ts";

const read = createRoute({
  operationId: "getWorkspace",
  method: "get",
  path: "/workspaces/{id}",
  request: { params: z.object({ id: idOf("workspace", "o_5d0") }) },
  responses: one(WorkspaceBody),
});

export const workspaces = createRouter().openapi(read, async (c) => {
  const workspace = await getWorkspace(c.var.context, c.req.valid("param").id);
  return c.json({ data: presentWorkspace(workspace) }, 200);
});

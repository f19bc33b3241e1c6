import { createRoute, z } from "@hono/zod-openapi";

import {
  createOwnWorkflow,
  deleteOwnWorkflow,
  getOwnWorkflow,
  listOwnWorkflows,
  updateOwnWorkflow,
} from "#services/workflows/own.ts";

import {
  createRouter,
  FilteredQuery,
  many,
  one,
  Ownership,
  params,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import {
  NewWorkflowFields,
  newWorkflowIn,
  presentWorkflow,
  WorkflowBody,
  workflowChangeIn,
} from "../workflow-body.ts";
import { deleteContract, readContract, updateContract } from "../workflow-contracts.ts";
import { workflowVersionRoutes } from "../workflow-version-routes.ts";
import { workspaceList } from "../workspace-list.ts";

const create = createRoute({
  operationId: "createOwnWorkflow",
  method: "post",
  path: "/workflows",
  request: { body: params(z.object({ ...NewWorkflowFields, ...Ownership })) },
  responses: one(WorkflowBody),
});

const update = createRoute({
  operationId: "updateOwnWorkflow",
  ...updateContract,
  description:
    "Absent fields are unchanged. A change of name, trigger or steps creates a new version. Runs in progress end on the version that they began with.",
});

const read = createRoute({ operationId: "getOwnWorkflow", ...readContract });

const list = createRoute({
  operationId: "listOwnWorkflows",
  method: "get",
  path: "/workflows",
  request: { query: FilteredQuery },
  responses: many(WorkflowBody),
});

const listOfWorkspace = workspaceList("listWorkspaceWorkflows", "workflows", {
  query: FilteredQuery,
  body: WorkflowBody,
});

const remove = createRoute({ operationId: "deleteOwnWorkflow", ...deleteContract });

export const ownWorkflows = createRouter()
  .openapi(create, async (c) => {
    const { context } = c.var;
    const { org_id, workspace_id, ...fields } = c.req.valid("json");
    const workspace = workspaceIn({ org_id, workspace_id });
    const workflow = await createOwnWorkflow(context, { workspace, ...newWorkflowIn(fields) });
    return c.json({ data: presentWorkflow(context, workflow) }, 200);
  })
  .openapi(update, async (c) => {
    const { context } = c.var;
    const change = workflowChangeIn(c.req.valid("json"));
    const workflow = await updateOwnWorkflow(context, c.req.valid("param").id, change);
    return c.json({ data: presentWorkflow(context, workflow) }, 200);
  })
  .openapi(read, async (c) => {
    const workflow = await getOwnWorkflow(c.var.context, c.req.valid("param").id);
    return c.json({ data: presentWorkflow(c.var.context, workflow) }, 200);
  })
  .openapi(list, async (c) => {
    const { context } = c.var;
    const page = await listOwnWorkflows(
      context,
      undefined,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, (workflow) => presentWorkflow(context, workflow)), 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { context } = c.var;
    const { id } = c.req.valid("param");
    const page = await listOwnWorkflows(context, id, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, (workflow) => presentWorkflow(context, workflow)), 200);
  })
  .openapi(remove, async (c) => {
    await deleteOwnWorkflow(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  });

export const ownWorkflowVersions = workflowVersionRoutes(({ var: { context } }) => ({
  ctx: context,
  user: context.actor.id,
}));

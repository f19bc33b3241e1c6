import { createRoute, z } from "@hono/zod-openapi";

import { createWorkflow, updateWorkflow } from "#services/workflows/deploy.ts";
import { deleteWorkflow, getWorkflow, listWorkflows, withCode } from "#services/workflows/read.ts";

import { createRouter, many, one, PageQuery, params } from "../openapi.ts";
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
import { Owner } from "./owner.ts";

const create = createRoute({
  operationId: "createWorkflow",
  method: "post",
  path: "/workflows",
  request: {
    body: params(z.object({ owner_id: Owner, ...NewWorkflowFields })),
  },
  responses: one(WorkflowBody),
});

const update = createRoute({ operationId: "updateWorkflow", ...updateContract });
const read = createRoute({ operationId: "getWorkflow", ...readContract });

const list = createRoute({
  operationId: "listWorkflows",
  method: "get",
  path: "/workflows",
  request: { query: PageQuery.safeExtend({ owner_id: Owner.optional() }) },
  responses: many(WorkflowBody),
});

const remove = createRoute({ operationId: "deleteWorkflow", ...deleteContract });

export const workflows = createRouter()
  .openapi(create, async (c) => {
    const { platform } = c.var;
    const { owner_id: ownerId, ...fields } = c.req.valid("json");
    const workflow = await createWorkflow(platform, {
      ownerId,
      by: null,
      ...newWorkflowIn(fields),
    });
    return c.json({ data: presentWorkflow(platform, await withCode(platform, workflow)) }, 200);
  })
  .openapi(update, async (c) => {
    const { platform } = c.var;
    const change = workflowChangeIn(c.req.valid("json"));
    const workflow = await updateWorkflow(platform, {
      id: c.req.valid("param").id,
      by: null,
      ...change,
    });
    return c.json({ data: presentWorkflow(platform, await withCode(platform, workflow)) }, 200);
  })
  .openapi(read, async (c) => {
    const { platform } = c.var;
    const workflow = await getWorkflow(platform, c.req.valid("param").id);
    return c.json({ data: presentWorkflow(platform, workflow) }, 200);
  })
  .openapi(list, async (c) => {
    const { platform } = c.var;
    const { owner_id: owner, ...page } = await openPage(c, c.req.valid("query"));
    const found = await listWorkflows(platform, owner, page);
    return c.json(await pageBody(c, found, (workflow) => presentWorkflow(platform, workflow)), 200);
  })
  .openapi(remove, async (c) => {
    await deleteWorkflow(c.var.platform, c.req.valid("param").id);
    return c.body(null, 204);
  });

export const workflowVersions = workflowVersionRoutes(({ var: { platform } }) => ({
  ctx: platform,
  user: undefined,
}));

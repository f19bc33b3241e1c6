import { createRoute, z } from "@hono/zod-openapi";

import { createWorkflow, updateWorkflow, type WorkflowChange } from "#services/workflows/deploy.ts";
import { deleteWorkflow, getWorkflow, listWorkflows, withCode } from "#services/workflows/read.ts";

import { createRouter, Flag, many, none, one, pageBody, PageQuery, params } from "../openapi.ts";
import { Owner } from "./owner.ts";
import {
  Name,
  presentWorkflow,
  stepIn,
  Steps,
  Trigger,
  triggerIn,
  WorkflowBody,
  WorkflowId,
} from "./workflow-body.ts";

const create = createRoute({
  operationId: "createWorkflow",
  method: "post",
  path: "/workflows",
  request: {
    body: params(
      z.object({
        owner_id: Owner,
        name: Name,
        trigger: Trigger.default({ type: "none" }),
        steps: Steps,
        active: Flag.default(true),
      }),
    ),
  },
  responses: one(WorkflowBody),
});

const update = createRoute({
  operationId: "updateWorkflow",
  method: "put",
  path: "/workflows/{id}",
  request: {
    params: WorkflowId,
    body: params(
      z.object({
        name: Name.nullish(),
        trigger: Trigger.nullish(),
        steps: Steps.nullish(),
        active: Flag.nullish(),
      }),
    ),
  },
  responses: one(WorkflowBody),
});

const read = createRoute({
  operationId: "getWorkflow",
  method: "get",
  path: "/workflows/{id}",
  request: { params: WorkflowId },
  responses: one(WorkflowBody),
});

const list = createRoute({
  operationId: "listWorkflows",
  method: "get",
  path: "/workflows",
  request: { query: PageQuery.safeExtend({ owner_id: Owner.optional() }) },
  responses: many(WorkflowBody),
});

const remove = createRoute({
  operationId: "deleteWorkflow",
  method: "delete",
  path: "/workflows/{id}",
  request: { params: WorkflowId },
  responses: none,
});

export const workflows = createRouter()
  .openapi(create, async (c) => {
    const { platform } = c.var;
    const { owner_id: ownerId, name, trigger, steps, active } = c.req.valid("json");
    const given = { name, active, trigger: triggerIn(trigger), steps: steps.map(stepIn) };
    const workflow = await createWorkflow(platform, { ownerId, ...given });
    return c.json({ data: presentWorkflow(platform, await withCode(platform, workflow)) }, 200);
  })
  .openapi(update, async (c) => {
    const { platform } = c.var;
    const { name, trigger, steps, active } = c.req.valid("json");
    const change: WorkflowChange = {
      name: name ?? undefined,
      active: active ?? undefined,
      trigger: trigger ? triggerIn(trigger) : undefined,
      steps: steps?.map(stepIn),
    };
    const workflow = await updateWorkflow(platform, c.req.valid("param").id, change);
    return c.json({ data: presentWorkflow(platform, await withCode(platform, workflow)) }, 200);
  })
  .openapi(read, async (c) => {
    const { platform } = c.var;
    const workflow = await getWorkflow(platform, c.req.valid("param").id);
    return c.json({ data: presentWorkflow(platform, workflow) }, 200);
  })
  .openapi(list, async (c) => {
    const { platform } = c.var;
    const { owner_id: owner, ...page } = c.req.valid("query");
    const found = await listWorkflows(platform, owner, page);
    return c.json(
      pageBody(found, (workflow) => presentWorkflow(platform, workflow)),
      200,
    );
  })
  .openapi(remove, async (c) => {
    await deleteWorkflow(c.var.platform, c.req.valid("param").id);
    return c.body(null, 204);
  });

import { z } from "@hono/zod-openapi";

import { conflict, none, one, params } from "./openapi.ts";
import { WorkflowId } from "./resource-ids.ts";
import { WorkflowBody, WorkflowChangeFields } from "./workflow-body.ts";

const path = "/workflows/{id}";
const request = { params: WorkflowId };

/** The contracts of operations on one workflow, which users and operators have alike. */
export const readContract = {
  method: "get",
  path,
  request,
  responses: one(WorkflowBody),
} as const;

export const updateContract = {
  method: "put",
  path,
  request: { ...request, body: params(z.object(WorkflowChangeFields)) },
  responses: one(WorkflowBody, conflict),
} as const;

export const deleteContract = { method: "delete", path, request, responses: none } as const;

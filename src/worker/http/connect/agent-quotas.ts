import { createRoute, z } from "@hono/zod-openapi";

import {
  readAgentQuotasOfProject,
  readAgentQuotasOfUser,
  setAgentQuotasOfUser,
} from "#services/agents/quotas.ts";
import { getProject } from "#services/connect/projects.ts";

import {
  agentQuotasChange,
  agentQuotasOf,
  AgentQuotasBody,
  presentAgentQuotas,
} from "../agent-quotas-body.ts";
import { createRouter, idOf, one } from "../openapi.ts";

const User = z.object({ project: z.string(), external_user_id: z.string() });

const ofProject = createRoute({
  operationId: "getProjectAgentQuotas",
  method: "get",
  path: "/projects/{id}/agent_quotas",
  request: { params: z.object({ id: idOf("project", "proj_5d0") }) },
  responses: one(AgentQuotasBody),
});

const ofUser = createRoute({
  operationId: "getExternalUserAgentQuotas",
  method: "get",
  path: "/{project}/users/{external_user_id}/agent_quotas",
  request: { params: User },
  responses: one(AgentQuotasBody),
});

const setOfUser = createRoute({
  operationId: "setExternalUserAgentQuotas",
  method: "put",
  path: "/{project}/users/{external_user_id}/agent_quotas",
  request: { params: User, body: agentQuotasChange },
  responses: one(AgentQuotasBody),
});

export const agentQuotas = createRouter()
  .openapi(ofProject, async (c) => {
    const { id } = await getProject(c.var.connect, c.req.valid("param").id);
    const report = await readAgentQuotasOfProject(c.var.connect, id);
    return c.json({ data: presentAgentQuotas(report) }, 200);
  })
  .openapi(ofUser, async (c) => {
    const { external_user_id: externalId } = c.req.valid("param");
    const report = await readAgentQuotasOfUser(c.var.project, externalId);
    return c.json({ data: presentAgentQuotas(report) }, 200);
  })
  .openapi(setOfUser, async (c) => {
    const { external_user_id: externalId } = c.req.valid("param");
    const change = agentQuotasOf(c.req.valid("json"));
    const report = await setAgentQuotasOfUser(c.var.project, externalId, change);
    return c.json({ data: presentAgentQuotas(report) }, 200);
  });

import { createRoute, z } from "@hono/zod-openapi";

import { readAgentQuotasOfProject, setAgentQuotasOfProject } from "#services/agents/quotas.ts";

import {
  agentQuotasChange,
  agentQuotasOf,
  AgentQuotasBody,
  presentAgentQuotas,
} from "../agent-quotas-body.ts";
import { createRouter, idOf, one } from "../openapi.ts";

const ProjectId = z.object({ id: idOf("project", "proj_5d0") });

const read = createRoute({
  operationId: "getProjectAgentQuotas",
  method: "get",
  path: "/projects/{id}/agent_quotas",
  request: { params: ProjectId },
  responses: one(AgentQuotasBody),
});

const update = createRoute({
  operationId: "setProjectAgentQuotas",
  method: "put",
  path: "/projects/{id}/agent_quotas",
  request: { params: ProjectId, body: agentQuotasChange },
  responses: one(AgentQuotasBody),
});

export const agentQuotas = createRouter()
  .openapi(read, async (c) => {
    const report = await readAgentQuotasOfProject(c.var.platform, c.req.valid("param").id);
    return c.json({ data: presentAgentQuotas(report) }, 200);
  })
  .openapi(update, async (c) => {
    const change = agentQuotasOf(c.req.valid("json"));
    const { id } = c.req.valid("param");
    const report = await setAgentQuotasOfProject(c.var.platform, id, change);
    return c.json({ data: presentAgentQuotas(report) }, 200);
  });

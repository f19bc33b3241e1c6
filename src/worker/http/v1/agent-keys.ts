import { createRoute, z } from "@hono/zod-openapi";

import { MAX_SCOPE_LENGTH } from "#domain/agent-grants.ts";
import { ENVIRONMENTS } from "#domain/connect.ts";
import { invalidInput } from "#domain/errors.ts";
import {
  type AgentGrant,
  createAgentKey,
  listAgentGrants,
  revokeAgentGrant,
} from "#services/agents/keys.ts";

import {
  all,
  conflict,
  createRouter,
  idOf,
  none,
  one,
  Ownership,
  params,
  workspaceIn,
} from "../openapi.ts";

const agent = {
  id: z.string(),
  name: z.string(),
  kind: z.enum(["key", "client"]),
  scope: z.string(),
  owner_id: z.string(),
  created_at: z.int(),
};

const AgentBody = z.object(agent).openapi("AgentGrant");
const NewAgentBody = z.object({ ...agent, agent_key: z.string() }).openapi("NewAgentKey");

const list = createRoute({
  operationId: "listAgentGrants",
  method: "get",
  path: "/agent_keys",
  responses: all(AgentBody),
});

const create = createRoute({
  operationId: "createAgentKey",
  method: "post",
  path: "/agent_keys",
  request: {
    body: params(
      z.object({
        ...Ownership,
        name: z.string().trim().min(1).max(100),
        scope: z.string().max(MAX_SCOPE_LENGTH),
        project_id: idOf("project", "proj_5d0").nullish(),
        environment: z.enum(ENVIRONMENTS).nullish(),
        external_user_id: z.string().min(1).max(250).nullish(),
      }),
    ),
  },
  responses: one(NewAgentBody, conflict),
});

const revoke = createRoute({
  operationId: "revokeAgentGrant",
  method: "delete",
  path: "/agent_keys/{id}",
  request: { params: z.object({ id: idOf("agent_grant", "agr_5d0") }) },
  responses: none,
});

export const agentKeys = createRouter()
  .openapi(list, async (c) => {
    const grants = await listAgentGrants(c.var.context);
    return c.json({ data: grants.map((grant) => presentAgent(grant)) }, 200);
  })
  .openapi(create, async (c) => {
    const { name, scope, project_id: project, ...input } = c.req.valid("json");
    const { external_user_id: externalId, environment } = input;
    if (!project !== !externalId)
      throw invalidInput([
        {
          path: project ? "external_user_id" : "project_id",
          message: "is required with the other",
        },
      ]);
    const externalUser =
      project && externalId
        ? { project, externalId, environment: environment ?? undefined }
        : undefined;
    const made = await createAgentKey(c.var.context, {
      name,
      scope,
      workspace: workspaceIn(input),
      externalUser,
    });
    return c.json({ data: { ...presentAgent(made), agent_key: made.key } }, 200);
  })
  .openapi(revoke, async (c) => {
    await revokeAgentGrant(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  });

function presentAgent(grant: AgentGrant): z.input<typeof AgentBody> {
  const { id, name, clientId, scope, ownerId, createdAt } = grant;
  const kind = clientId === null ? ("key" as const) : ("client" as const);
  return { id, name, kind, scope, owner_id: ownerId, created_at: createdAt };
}

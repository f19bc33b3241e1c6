import { createRoute, z } from "@hono/zod-openapi";

import { isOwner, type OwnerId } from "#domain/ids.ts";
import {
  listAgentSubscriptions,
  type ListedSubscription,
} from "#services/agents/subscriptions/list.ts";

import { createRouter, idOf, many, PageQuery } from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";

const Subscriber = z
  .custom<OwnerId>(
    (id) => typeof id === "string" && isOwner(id),
    "must be the id of a user, a workspace or an external user",
  )
  .openapi({ type: "string", example: "exu_5d0" });

const AgentSubscriptionBody = z
  .object({
    id: z.string(),
    owner_id: z.string(),
    project_id: z.string().nullable(),
    agent_key_id: z.string().nullable(),
    event_type: z.string(),
    filter: z.string().nullable(),
    url: z.string(),
    source_id: z.string(),
    webhook_id: z.string(),
    active: z.boolean(),
    expires_at: z.int(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("AgentSubscription");

const list = createRoute({
  operationId: "listAgentSubscriptions",
  method: "get",
  path: "/agent_subscriptions",
  request: {
    query: PageQuery.safeExtend({
      owner_id: Subscriber.optional(),
      project_id: idOf("project", "proj_5d0").optional(),
    }),
  },
  responses: many(AgentSubscriptionBody),
});

export const agentSubscriptions = createRouter().openapi(list, async (c) => {
  const {
    owner_id: owner,
    project_id: project,
    ...request
  } = await openPage(c, c.req.valid("query"));
  const page = await listAgentSubscriptions(c.var.platform, { owner, project }, request);
  return c.json(await pageBody(c, page, present), 200);
});

function present(subscription: ListedSubscription): z.input<typeof AgentSubscriptionBody> {
  // A component may have a prop of this name, of any type.
  const { filter }: { filter?: unknown } = JSON.parse(subscription.arguments);
  return {
    id: subscription.id,
    owner_id: subscription.ownerId,
    project_id: subscription.projectId,
    agent_key_id: subscription.grantId,
    event_type: subscription.name,
    filter: typeof filter === "string" ? filter : null,
    url: subscription.url,
    source_id: subscription.sourceId,
    webhook_id: subscription.webhookId,
    active: subscription.active,
    expires_at: subscription.expiresAt,
    created_at: subscription.createdAt,
    updated_at: subscription.updatedAt,
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import {
  type ListeningWebhook,
  renewSigningKey,
  setWebhooks,
  setWorkflows,
  type Webhook,
  webhooksOf,
  webhookWithKey,
  workflowsOf,
} from "#services/connect/trigger-listeners.ts";

import { createRouter, params } from "../openapi.ts";
import { itself } from "./responses.ts";

const MAX_LISTENERS = 100;

const ListedWebhook = z.object({
  id: z.string(),
  url: z.string(),
  signing_key: z.string().optional(),
  signing_key_set: z.boolean(),
});

const TriggerWebhookBody = z
  .object({
    id: z.string(),
    url: z.string(),
    signing_key: z.string(),
    signing_key_set: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("TriggerWebhook");

const Webhooks = itself(
  z.object({ webhook_urls: z.array(z.string()), webhooks: z.array(ListedWebhook) }),
);
const Workflows = itself(z.object({ workflow_ids: z.array(z.string()) }));
const OneWebhook = itself(z.object({ data: TriggerWebhookBody }));

const ExternalUserId = z.string().min(1).max(250).optional();
const OfUser = z.object({ external_user_id: ExternalUserId });
const TriggerId = z.object({ project: z.string(), id: z.string() });
const WebhookId = TriggerId.extend({ webhook: z.string() });
const TRIGGER = "/{project}/deployed-triggers/{id}" as const;

const listWebhooks = createRoute({
  operationId: "listWebhooksOfDeployedTrigger",
  method: "get",
  path: `${TRIGGER}/webhooks`,
  request: { params: TriggerId, query: OfUser },
  responses: Webhooks,
});

const updateWebhooks = createRoute({
  operationId: "setWebhooksOfDeployedTrigger",
  method: "put",
  path: `${TRIGGER}/webhooks`,
  request: {
    params: TriggerId,
    body: params(
      OfUser.extend({ webhook_urls: z.array(z.string().min(1).max(4000)).max(MAX_LISTENERS) }),
    ),
  },
  responses: Webhooks,
});

const readWebhook = createRoute({
  operationId: "getWebhookOfDeployedTrigger",
  method: "get",
  path: `${TRIGGER}/webhooks/{webhook}`,
  request: { params: WebhookId, query: OfUser },
  responses: OneWebhook,
});

const renewKey = createRoute({
  operationId: "regenerateSigningKeyOfDeployedTrigger",
  method: "post",
  path: `${TRIGGER}/webhooks/{webhook}/regenerate_signing_key`,
  request: { params: WebhookId, query: OfUser },
  responses: OneWebhook,
});

const listWorkflows = createRoute({
  operationId: "listWorkflowsOfDeployedTrigger",
  method: "get",
  path: `${TRIGGER}/pipelines`,
  request: { params: TriggerId, query: OfUser },
  responses: Workflows,
});

const updateWorkflows = createRoute({
  operationId: "setWorkflowsOfDeployedTrigger",
  method: "put",
  path: `${TRIGGER}/pipelines`,
  request: {
    params: TriggerId,
    body: params(OfUser.extend({ workflow_ids: z.array(z.string().max(100)).max(MAX_LISTENERS) })),
  },
  responses: Workflows,
});

/** The listeners of a trigger's events. */
export const triggerListeners = createRouter()
  .openapi(listWebhooks, async (c) => {
    const { external_user_id: externalId } = c.req.valid("query");
    const { id } = c.req.valid("param");
    const webhooks = await webhooksOf(c.var.project, { externalId, id });
    return c.json(listed(webhooks.map((webhook) => ({ webhook, signingKey: undefined }))), 200);
  })
  .openapi(updateWebhooks, async (c) => {
    const { external_user_id: externalId, webhook_urls } = c.req.valid("json");
    const { id } = c.req.valid("param");
    return c.json(listed(await setWebhooks(c.var.project, { externalId, id }, webhook_urls)), 200);
  })
  .openapi(readWebhook, async (c) => {
    const { external_user_id: externalId } = c.req.valid("query");
    const { id, webhook } = c.req.valid("param");
    return c.json(
      { data: present(await webhookWithKey(c.var.project, { externalId, id }, webhook)) },
      200,
    );
  })
  .openapi(renewKey, async (c) => {
    const { external_user_id: externalId } = c.req.valid("query");
    const { id, webhook } = c.req.valid("param");
    return c.json(
      { data: present(await renewSigningKey(c.var.project, { externalId, id }, webhook)) },
      200,
    );
  })
  .openapi(listWorkflows, async (c) => {
    const { external_user_id: externalId } = c.req.valid("query");
    const { id } = c.req.valid("param");
    return c.json({ workflow_ids: await workflowsOf(c.var.project, { externalId, id }) }, 200);
  })
  .openapi(updateWorkflows, async (c) => {
    const { external_user_id: externalId, workflow_ids } = c.req.valid("json");
    const { id } = c.req.valid("param");
    const set = await setWorkflows(c.var.project, { externalId, id }, workflow_ids);
    return c.json({ workflow_ids: set }, 200);
  });

function listed(webhooks: readonly ListeningWebhook[]) {
  return {
    webhook_urls: webhooks.map(({ webhook }) => webhook.url),
    webhooks: webhooks.map(({ webhook: { id, url }, signingKey }) => ({
      id,
      url,
      ...(signingKey !== undefined && { signing_key: signingKey }),
      signing_key_set: true,
    })),
  };
}

function present({ webhook, signingKey = "" }: ListeningWebhook) {
  const { id, url, createdAt, updatedAt }: Webhook = webhook;
  return {
    id,
    url,
    signing_key: signingKey,
    signing_key_set: signingKey !== "",
    created_at: createdAt * 1000,
    updated_at: updatedAt * 1000,
  };
}

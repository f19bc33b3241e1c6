import { createRoute, z } from "@hono/zod-openapi";

import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  listWorkspaceWebhooks,
  rotateWebhookSecret,
  updateWebhook,
  type Webhook,
} from "#services/webhooks.ts";

import {
  createRouter,
  digits,
  FilteredQuery,
  Flag,
  many,
  none,
  one,
  Ownership,
  params,
  urlWithHost,
  workspaceIn,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { WebhookId } from "../resource-ids.ts";
import { workspaceList } from "../workspace-list.ts";

const WebhookBody = z
  .object({
    id: z.string(),
    user_id: z.string(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    url: z.string(),
    active: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("Webhook");

const CreatedWebhookBody = WebhookBody.extend({
  signing_secret: z.string().nullable(),
}).openapi("CreatedWebhook");

const WebhookDetails = WebhookBody.extend({
  inactive_reason: z.string().nullable(),
  failing_since_ms: z.int().nullable(),
}).openapi("WebhookDetails");

const SecretBody = z.object({ signing_secret: z.string().nullable() }).openapi("SigningSecret");

/** A URL needs the protocol http or https, and a hostname. */
const Url = urlWithHost("must be a URL with protocol http or https and a hostname");

const create = createRoute({
  operationId: "createWebhook",
  method: "post",
  path: "/webhooks",
  request: {
    body: params(
      z.object({
        url: Url,
        name: z.string().max(256).nullish(),
        description: z.string().max(4096).nullish(),
        ...Ownership,
      }),
    ),
  },
  responses: one(CreatedWebhookBody),
});

const read = createRoute({
  operationId: "getWebhook",
  method: "get",
  path: "/webhooks/{id}",
  request: { params: WebhookId },
  responses: one(WebhookDetails),
});

const update = createRoute({
  operationId: "updateWebhook",
  method: "put",
  path: "/webhooks/{id}",
  request: {
    params: WebhookId,
    body: params(
      z.object({
        url: Url.optional(),
        name: z.string().max(256).nullable().optional(),
        description: z.string().max(4096).nullable().optional(),
        active: Flag.optional(),
      }),
    ),
  },
  responses: one(WebhookBody),
});

const remove = createRoute({
  operationId: "deleteWebhook",
  method: "delete",
  path: "/webhooks/{id}",
  request: { params: WebhookId },
  responses: none,
});

const list = createRoute({
  operationId: "listWebhooks",
  method: "get",
  path: "/users/me/webhooks",
  request: { query: FilteredQuery },
  responses: many(WebhookBody),
});

const listOfWorkspace = workspaceList("listWorkspaceWebhooks", "webhooks", {
  query: FilteredQuery,
  body: WebhookBody,
});

const rotate = createRoute({
  operationId: "rotateWebhookSecret",
  method: "post",
  path: "/webhooks/{id}/rotate_secret",
  request: {
    params: WebhookId,
    body: params(z.object({ overlap_seconds: digits(z.int().min(0).max(2_592_000)).optional() })),
  },
  responses: one(SecretBody),
});

export const webhooks = createRouter()
  .openapi(create, async (c) => {
    const { url, name, description, ...ownership } = c.req.valid("json");
    const { webhook, signingSecret } = await createWebhook(c.var.context, {
      url,
      name: name ?? undefined,
      description: description ?? undefined,
      workspace: workspaceIn(ownership),
    });
    return c.json({ data: { ...present(webhook), signing_secret: signingSecret } }, 200);
  })
  .openapi(read, async (c) => {
    const { webhook, status } = await getWebhook(c.var.context, c.req.valid("param").id);
    const details = { inactive_reason: status.reason, failing_since_ms: status.failingSinceMs };
    return c.json({ data: { ...present(webhook), active: status.active, ...details } }, 200);
  })
  .openapi(update, async (c) => {
    const { id } = c.req.valid("param");
    const webhook = await updateWebhook(c.var.context, id, c.req.valid("json"));
    return c.json({ data: present(webhook) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteWebhook(c.var.context, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(list, async (c) => {
    const page = await listWebhooks(c.var.context, await openPage(c, c.req.valid("query")));
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const { id } = c.req.valid("param");
    const page = await listWorkspaceWebhooks(
      c.var.context,
      id,
      await openPage(c, c.req.valid("query")),
    );
    return c.json(await pageBody(c, page, present), 200);
  })
  .openapi(rotate, async (c) => {
    const { overlap_seconds: overlap } = c.req.valid("json");
    const secret = await rotateWebhookSecret(c.var.context, c.req.valid("param").id, overlap);
    return c.json({ data: { signing_secret: secret } }, 200);
  });

function present(webhook: Webhook): z.input<typeof WebhookBody> {
  return {
    id: webhook.id,
    user_id: webhook.userId,
    name: webhook.name,
    description: webhook.description,
    url: webhook.url,
    active: webhook.active,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

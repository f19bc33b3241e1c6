import { createRoute, z } from "@hono/zod-openapi";

import {
  deleteProjectWebhook,
  getProjectWebhook,
  type ProjectWebhook,
  putProjectWebhook,
  regenerateProjectKey,
} from "#services/connect/project-webhook.ts";

import { createRouter, none, one, params, WebUrl } from "../openapi.ts";
import { itself } from "./responses.ts";

const WebhookBody = z
  .object({
    id: z.string(),
    url: z.string(),
    signing_key: z.string().optional(),
    signing_key_set: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
  })
  .openapi("ProjectWebhook");

const path = "/{project}/webhook";
const InProject = { params: z.object({ project: z.string() }) };

const read = createRoute({
  operationId: "getProjectWebhook",
  method: "get",
  path,
  request: InProject,
  responses: itself(z.object({ data: WebhookBody.optional() })),
});

const put = createRoute({
  operationId: "putProjectWebhook",
  method: "put",
  path,
  request: { ...InProject, body: params(z.object({ url: WebUrl })) },
  responses: one(WebhookBody),
});

const remove = createRoute({
  operationId: "deleteProjectWebhook",
  method: "delete",
  path,
  request: InProject,
  responses: none,
});

const regenerate = createRoute({
  operationId: "regenerateProjectWebhookKey",
  method: "post",
  path: `${path}/regenerate_signing_key`,
  request: InProject,
  responses: one(WebhookBody),
});

export const projectWebhook = createRouter()
  .openapi(read, async (c) => {
    const webhook = await getProjectWebhook(c.var.project);
    return c.json(webhook ? { data: present({ webhook }) } : {}, 200);
  })
  .openapi(put, async (c) => {
    const made = await putProjectWebhook(c.var.project, c.req.valid("json").url);
    return c.json({ data: present(made) }, 200);
  })
  .openapi(remove, async (c) => {
    await deleteProjectWebhook(c.var.project);
    return c.body(null, 204);
  })
  .openapi(regenerate, async (c) =>
    c.json({ data: present(await regenerateProjectKey(c.var.project)) }, 200),
  );

function present({
  webhook,
  signingKey,
}: {
  webhook: ProjectWebhook;
  signingKey?: string;
}): z.input<typeof WebhookBody> {
  const { projectId, environment, url, createdAt, updatedAt } = webhook;
  return {
    id: `${projectId}_${environment}`,
    url,
    ...(signingKey !== undefined && { signing_key: signingKey }),
    signing_key_set: true,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

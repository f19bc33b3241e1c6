import { createRoute, z } from "@hono/zod-openapi";

import { isId } from "#domain/ids.ts";
import { type LinkedResource, listEmitters, listListeners } from "#services/links.ts";

import { all, createRouter } from "../openapi.ts";
import { SourceId, WebhookId, WorkflowId } from "../resource-ids.ts";

const link = {
  subscription_id: z.string(),
  event_name: z.string(),
  filter: z.string().nullable(),
  emitter_id: z.string(),
  id: z.string(),
  name: z.string().nullable(),
  active: z.boolean().nullable(),
};

const ListenerBody = z
  .object({ ...link, type: z.enum(["source", "workflow", "webhook"]) })
  .openapi("Listener");

const EmitterBody = z
  .object({
    ...link,
    type: z.enum(["source", "workflow", "webhook", "all_sources", "all_workflows", "owner"]),
  })
  .openapi("Emitter");

const listenersOfSource = createRoute({
  operationId: "listSourceListeners",
  method: "get",
  path: "/sources/{id}/listeners",
  request: { params: SourceId },
  responses: all(ListenerBody),
});

const listenersOfWorkflow = createRoute({
  operationId: "listWorkflowListeners",
  method: "get",
  path: "/workflows/{id}/listeners",
  request: { params: WorkflowId },
  responses: all(ListenerBody),
});

const listenersOfWebhook = createRoute({
  operationId: "listWebhookListeners",
  method: "get",
  path: "/webhooks/{id}/listeners",
  request: { params: WebhookId },
  responses: all(ListenerBody),
});

const emittersOfSource = createRoute({
  operationId: "listSourceEmitters",
  method: "get",
  path: "/sources/{id}/emitters",
  request: { params: SourceId },
  responses: all(EmitterBody),
});

const emittersOfWorkflow = createRoute({
  operationId: "listWorkflowEmitters",
  method: "get",
  path: "/workflows/{id}/emitters",
  request: { params: WorkflowId },
  responses: all(EmitterBody),
});

const emittersOfWebhook = createRoute({
  operationId: "listWebhookEmitters",
  method: "get",
  path: "/webhooks/{id}/emitters",
  request: { params: WebhookId },
  responses: all(EmitterBody),
});

export const links = createRouter()
  .openapi(listenersOfSource, async (c) => {
    const found = await listListeners(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentListener) }, 200);
  })
  .openapi(listenersOfWorkflow, async (c) => {
    const found = await listListeners(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentListener) }, 200);
  })
  .openapi(listenersOfWebhook, async (c) => {
    const found = await listListeners(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentListener) }, 200);
  })
  .openapi(emittersOfSource, async (c) => {
    const found = await listEmitters(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentEmitter) }, 200);
  })
  .openapi(emittersOfWorkflow, async (c) => {
    const found = await listEmitters(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentEmitter) }, 200);
  })
  .openapi(emittersOfWebhook, async (c) => {
    const found = await listEmitters(c.var.context, c.req.valid("param").id);
    return c.json({ data: found.map(presentEmitter) }, 200);
  });

function presentListener(found: LinkedResource): z.input<typeof ListenerBody> {
  const { listenerId: id } = found;
  return { ...presentLink(found), type: kindOf(id), id };
}

function presentEmitter(found: LinkedResource): z.input<typeof EmitterBody> {
  const { emitterId: id } = found;
  return { ...presentLink(found), type: emitterKindOf(id), id };
}

function presentLink({ id, channel, filter, emitterId, name, active }: LinkedResource) {
  return {
    subscription_id: id,
    event_name: channel,
    filter,
    emitter_id: emitterId,
    name,
    active: active === null ? null : active === 1,
  };
}

function emitterKindOf(id: string): z.input<typeof EmitterBody>["type"] {
  if (id === "dc_*") return "all_sources";
  if (id === "p_*") return "all_workflows";
  const isEmitter = isId("source", id) || isId("workflow", id) || isId("webhook", id);
  return isEmitter ? kindOf(id) : "owner";
}

function kindOf(id: string): "source" | "workflow" | "webhook" {
  if (isId("source", id)) return "source";
  return isId("workflow", id) ? "workflow" : "webhook";
}

import { createRoute, z } from "@hono/zod-openapi";

import { endpointUrls } from "#domain/endpoints.ts";
import { getTrigger, listTriggers, type Trigger } from "#services/connect/trigger-reads.ts";
import { deleteTrigger, deployTrigger, updateTrigger } from "#services/connect/triggers.ts";
import { type EventList, listSourceEvents } from "#services/events.ts";

import { jsonStream } from "../json-stream.ts";
import {
  createRouter,
  digits,
  Flag,
  JsonObject,
  many,
  none,
  one,
  PageQuery,
  params,
} from "../openapi.ts";
import { openPage, pageBody } from "../pages.ts";
import { ConfigurableProp } from "../v1/components.ts";
import { summariesIn } from "../v1/event-list.ts";
import { ComponentId, DynamicPropsId } from "./components.ts";
import { itself } from "./responses.ts";

const TriggerBody = z
  .object({
    id: z.string(),
    type: z.literal("DeployedComponent"),
    owner_id: z.string(),
    external_user_id: z.string(),
    component_id: z.string(),
    component_key: z.string().optional(),
    configurable_props: z.array(ConfigurableProp),
    configured_props: z.record(z.string(), z.any()),
    active: z.boolean(),
    created_at: z.int(),
    updated_at: z.int(),
    name: z.string(),
    name_slug: z.string(),
    emit_on_deploy: z.boolean(),
    webhook_signing_key: z.string().optional(),
    account_errors: z
      .array(z.object({ prop: z.string(), account_id: z.string(), error: z.string() }))
      .optional(),
  })
  .openapi("DeployedTrigger");

const EventBody = z.object({
  e: z.any(),
  k: z.literal("emit"),
  ts: z.int(),
  id: z.string(),
  sum: z.string().optional(),
});

const Project = z.object({ project: z.string() });
const ExternalUserId = z.string().min(1).max(250).optional();
const OfUser = z.object({ external_user_id: ExternalUserId });
const TriggerId = Project.extend({ id: z.string() });

const deploy = createRoute({
  operationId: "deployTrigger",
  method: "post",
  path: "/{project}/triggers/deploy",
  request: {
    params: Project,
    body: params(
      z.object({
        id: ComponentId,
        version: z.string().min(1).max(100).nullish(),
        external_user_id: ExternalUserId,
        configured_props: JsonObject.nullish(),
        dynamic_props_id: DynamicPropsId.nullish(),
        workflow_id: z.string().max(100).nullish(),
        webhook_url: z.string().max(4000).nullish(),
        emit_on_deploy: Flag.nullish(),
      }),
    ),
  },
  responses: one(TriggerBody),
});

const list = createRoute({
  operationId: "listDeployedTriggers",
  method: "get",
  path: "/{project}/deployed-triggers",
  request: {
    params: Project,
    query: PageQuery.safeExtend({
      external_user_id: ExternalUserId,
      emitter_type: z.enum(["email", "http", "source", "timer"]).optional(),
    }),
  },
  responses: many(TriggerBody),
});

const read = createRoute({
  operationId: "getDeployedTrigger",
  method: "get",
  path: "/{project}/deployed-triggers/{id}",
  request: { params: TriggerId, query: OfUser },
  responses: one(TriggerBody),
});

const update = createRoute({
  operationId: "updateDeployedTrigger",
  method: "put",
  path: "/{project}/deployed-triggers/{id}",
  request: {
    params: TriggerId,
    body: params(
      z.object({
        external_user_id: ExternalUserId,
        name: z.string().trim().min(1).max(1000).nullish(),
        active: Flag.nullish(),
        configured_props: JsonObject.nullish(),
        emit_on_deploy: Flag.nullish(),
      }),
    ),
  },
  responses: one(TriggerBody),
});

const remove = createRoute({
  operationId: "deleteDeployedTrigger",
  method: "delete",
  path: "/{project}/deployed-triggers/{id}",
  request: {
    params: TriggerId,
    query: OfUser.extend({ ignore_hook_errors: Flag.optional() }),
  },
  responses: none,
});

const events = createRoute({
  operationId: "listEventsOfDeployedTrigger",
  method: "get",
  path: "/{project}/deployed-triggers/{id}/events",
  request: {
    params: TriggerId,
    query: OfUser.extend({ n: digits(z.int().min(1).max(100)).default(20) }),
  },
  responses: itself(z.object({ data: z.array(EventBody) })),
});

export const deployedTriggers = createRouter()
  .openapi(deploy, async (c) => {
    const input = c.req.valid("json");
    const { trigger, signingKey } = await deployTrigger(c.var.project, {
      keyOrId: input.id,
      version: input.version ?? undefined,
      externalId: input.external_user_id,
      configuredProps: input.configured_props ?? {},
      dynamicPropsId: input.dynamic_props_id ?? undefined,
      workflowId: input.workflow_id || undefined,
      webhookUrl: input.webhook_url || undefined,
      emitOnDeploy: input.emit_on_deploy ?? true,
    });
    const key = signingKey === undefined ? {} : { webhook_signing_key: signingKey };
    return c.json({ data: { ...present(trigger, c.var.project.origin), ...key } }, 200);
  })
  .openapi(list, async (c) => {
    const { external_user_id, emitter_type, ...request } = await openPage(c, c.req.valid("query"));
    // All triggers here run components.
    const isNone = emitter_type !== undefined && emitter_type !== "source";
    const page = isNone
      ? { items: [], totalCount: 0 }
      : await listTriggers(c.var.project, external_user_id, request);
    return c.json(await pageBody(c, page, presentFrom(c.var.project.origin)), 200);
  })
  .openapi(read, async (c) => {
    const { external_user_id } = c.req.valid("query");
    const { trigger } = await getTrigger(c.var.project, external_user_id, c.req.valid("param").id);
    return c.json({ data: present(trigger, c.var.project.origin) }, 200);
  })
  .openapi(update, async (c) => {
    const input = c.req.valid("json");
    const trigger = await updateTrigger(c.var.project, input.external_user_id, {
      id: c.req.valid("param").id,
      name: input.name ?? undefined,
      active: input.active ?? undefined,
      configuredProps: input.configured_props ?? undefined,
      emitOnDeploy: input.emit_on_deploy ?? undefined,
    });
    return c.json({ data: present(trigger, c.var.project.origin) }, 200);
  })
  .openapi(remove, async (c) => {
    const { external_user_id } = c.req.valid("query");
    await deleteTrigger(c.var.project, external_user_id, c.req.valid("param").id);
    return c.body(null, 204);
  })
  .openapi(events, async (c) => {
    const { external_user_id, n } = c.req.valid("query");
    const { user, trigger } = await getTrigger(
      c.var.project,
      external_user_id,
      c.req.valid("param").id,
    );
    const query = { limit: n, expand: true };
    return jsonStream(c, piecesOf(await listSourceEvents(user, trigger.source.id, query)));
  });

type Body = z.input<typeof TriggerBody>;

/** A page of large events exceeds an isolate's memory: it is sent as it is read. */
async function* piecesOf(page: EventList): AsyncGenerator<string, void> {
  let separator = "";
  yield `{"data":[`;
  for await (const { id, indexedAtMs, payload, meta } of summariesIn(page)) {
    const known = { k: "emit", ts: indexedAtMs, id, sum: meta.summary };
    yield `${separator}{"e":${payload},${JSON.stringify(known).slice(1)}`;
    separator = ",";
  }
  yield "]}";
}

function presentFrom(origin: string) {
  return (trigger: Trigger): Body => present(trigger, origin);
}

function present(
  { source, noted, externalUserId, component, accountErrors }: Trigger,
  origin: string,
): Body {
  const endpoints = Object.entries(endpointUrls(origin, source.endpoints)).map(
    ([prop, endpoint_url]) => [prop, { endpoint_url }] as const,
  );
  return {
    id: source.id,
    type: "DeployedComponent",
    owner_id: source.ownerId,
    external_user_id: externalUserId,
    component_id: source.componentId,
    ...(component.key !== null && { component_key: component.key }),
    configurable_props: component.props,
    configured_props: { ...source.shownProps, ...Object.fromEntries(endpoints) },
    active: source.active,
    created_at: source.createdAt * 1000,
    updated_at: source.updatedAt * 1000,
    name: source.name,
    name_slug: source.nameSlug,
    emit_on_deploy: noted.emitOnDeploy,
    ...(accountErrors.length > 0 && {
      account_errors: accountErrors.map(({ prop, accountId, error }) => ({
        prop,
        account_id: accountId,
        error,
      })),
    }),
  };
}

import { createRoute, z } from "@hono/zod-openapi";

import {
  autoSubscribe,
  type AutoSubscription,
  autoUnsubscribe,
  listAutoSubscriptions,
  listSubscriptions,
  listWorkspaceSubscriptions,
  subscribe,
  type Subscription,
  unsubscribe,
} from "#services/subscriptions.ts";

import { all, createRouter, none, one, Ownership, params, workspaceIn } from "../openapi.ts";
import { WorkspaceId } from "../resource-ids.ts";

const SubscriptionBody = z
  .object({
    id: z.string(),
    emitter_id: z.string(),
    listener_id: z.string(),
    event_name: z.string(),
    filter: z.string().optional(),
  })
  .openapi("Subscription");

const AutoSubscriptionBody = z
  .object({
    id: z.string(),
    event_name: z.string(),
    listener_id: z.string(),
    filter: z.string().optional(),
  })
  .openapi("AutoSubscription");

const Link = z.object({
  emitter_id: z.string().min(1).openapi({ example: "dc_5d0" }),
  listener_id: z.string().min(1).openapi({ example: "wh_5d0" }),
  event_name: z.string().nullish(),
});

const Filtered = {
  filter: z.string().nullish(),
};

const create = createRoute({
  operationId: "createSubscription",
  method: "post",
  path: "/subscriptions",
  request: { body: params(Link.extend({ ...Ownership, ...Filtered })) },
  responses: one(SubscriptionBody),
});

const remove = createRoute({
  operationId: "deleteSubscription",
  method: "delete",
  path: "/subscriptions",
  request: { query: Link.extend(Ownership) },
  responses: none,
});

const list = createRoute({
  operationId: "listSubscriptions",
  method: "get",
  path: "/users/me/subscriptions",
  responses: all(SubscriptionBody),
});

const listOfWorkspace = createRoute({
  operationId: "listWorkspaceSubscriptions",
  method: "get",
  path: "/workspaces/{id}/subscriptions",
  request: { params: WorkspaceId },
  responses: all(SubscriptionBody),
});

const AutoLink = z.object({
  event_name: z.enum(["$errors", "$logs", "$alerts"]),
  listener_id: z.string().min(1).openapi({ example: "wh_5d0" }),
  ...Ownership,
});

const createAuto = createRoute({
  operationId: "createAutoSubscription",
  method: "post",
  path: "/auto_subscriptions",
  request: {
    body: params(AutoLink.extend(Filtered)),
  },
  responses: one(AutoSubscriptionBody),
});

const listAuto = createRoute({
  operationId: "listAutoSubscriptions",
  method: "get",
  path: "/auto_subscriptions",
  request: { query: z.object(Ownership) },
  responses: all(AutoSubscriptionBody),
});

const removeAuto = createRoute({
  operationId: "deleteAutoSubscription",
  method: "delete",
  path: "/auto_subscriptions",
  request: { query: AutoLink },
  responses: none,
});

export const subscriptions = createRouter()
  .openapi(create, async (c) => {
    const input = c.req.valid("json");
    const subscription = await subscribe(c.var.context, {
      ...linkOf(input),
      workspace: workspaceIn(input),
      filter: input.filter,
    });
    return c.json({ data: present(subscription) }, 200);
  })
  .openapi(remove, async (c) => {
    const link = c.req.valid("query");
    await unsubscribe(c.var.context, { ...linkOf(link), workspace: workspaceIn(link) });
    return c.body(null, 204);
  })
  .openapi(list, async (c) => {
    const rows = await listSubscriptions(c.var.context);
    return c.json({ data: rows.map(present) }, 200);
  })
  .openapi(listOfWorkspace, async (c) => {
    const rows = await listWorkspaceSubscriptions(c.var.context, c.req.valid("param").id);
    return c.json({ data: rows.map(present) }, 200);
  })
  .openapi(createAuto, async (c) => {
    const input = c.req.valid("json");
    const auto = await autoSubscribe(c.var.context, {
      ...autoLinkOf(input),
      filter: input.filter,
    });
    return c.json({ data: presentAuto(auto) }, 200);
  })
  .openapi(listAuto, async (c) => {
    const workspace = workspaceIn(c.req.valid("query"));
    const rows = await listAutoSubscriptions(c.var.context, workspace);
    return c.json({ data: rows.map(presentAuto) }, 200);
  })
  .openapi(removeAuto, async (c) => {
    await autoUnsubscribe(c.var.context, autoLinkOf(c.req.valid("query")));
    return c.body(null, 204);
  });

function autoLinkOf(input: z.output<typeof AutoLink>) {
  const { event_name: eventName, listener_id: listenerId } = input;
  return { eventName, listenerId, workspace: workspaceIn(input) };
}

function linkOf({ emitter_id, listener_id, event_name }: z.output<typeof Link>) {
  return { emitterId: emitter_id, listenerId: listener_id, eventName: event_name ?? "" };
}

function present(row: Subscription): z.input<typeof SubscriptionBody> {
  const { id, emitterId, listenerId, eventName } = row;
  const link = { emitter_id: emitterId, listener_id: listenerId, event_name: eventName };
  return { id, ...link, ...shownFilter(row) };
}

function presentAuto(row: AutoSubscription): z.input<typeof AutoSubscriptionBody> {
  const { id, eventName, listenerId } = row;
  return { id, event_name: eventName, listener_id: listenerId, ...shownFilter(row) };
}

function shownFilter({ filter }: { filter: string | null }): { filter?: string } {
  return filter === null ? {} : { filter };
}

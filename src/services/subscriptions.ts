import { sourceById } from "#db/sources.ts";
import * as store from "#db/subscriptions.ts";
import { webhookById } from "#db/webhooks.ts";
import { workflowById } from "#db/workflows.ts";
import { ALERT_CHANNEL, ERROR_CHANNEL, LOG_CHANNEL, SYSTEM_PREFIX } from "#domain/channels.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { issueOfFilter } from "#domain/filters.ts";
import { type Id, isId, newId, type OwnerId } from "#domain/ids.ts";
import { isOwnersChannel } from "#domain/routes.ts";

import { ownerFor } from "./access.ts";
import type { Context } from "./context.ts";
import { changingRoutes, type RoutesContext } from "./routes.ts";

export type { AutoSubscription, Subscription } from "#db/subscriptions.ts";
export type LinkInput = store.Link & { workspace?: Id<"workspace"> | undefined };
/** `filter`: an expression, empty or null for none, undefined to leave the filter of an existing subscription. */
type FilterInput = { filter?: string | null | undefined };
export type SubscriptionInput = LinkInput & FilterInput;

/** Those of the platform's own channels that can be subscribed to. */
const SYSTEM_CHANNELS = [ERROR_CHANNEL, LOG_CHANNEL, ALERT_CHANNEL];

const GLOBS = new Set(["dc_*", "p_*"]);

/**
 * Link an emitter to a listener (docs/contract.md: Subscriptions). The same link twice is one subscription with the
 * last filter. Refuses an emitter or a listener that the actor may not see, and a channel of the platform that has no
 * listeners.
 */
export async function subscribe(
  ctx: Pick<Context, "actor" | "now" | "workspace"> & RoutesContext,
  { emitterId, listenerId, eventName, workspace, filter }: SubscriptionInput,
): Promise<store.Subscription> {
  checkFilter(filter);
  checkChannel(eventName);
  if (emitterId === listenerId && eventName === "")
    throw invalid("listener_id", "a source may listen to itself on a custom channel only");
  const [ownerId] = await Promise.all([
    ownerOfEmitter(ctx, { emitterId, eventName, workspace }),
    checkListener(ctx, listenerId),
  ]);
  return changingRoutes(ctx, [{ ownerId, emitterId }], (change) =>
    store.insertSubscription(change, {
      id: newId("subscription"),
      ownerId,
      userId: ctx.actor.id,
      emitterId,
      listenerId,
      eventName,
      filter: filter === "" ? null : filter,
      createdAt: ctx.now(),
      sinceMs: Date.now(),
    }),
  );
}

/**
 * End a subscription by its fields. Every owner may have one with the same glob: this ends that of the named workspace,
 * else that of the actor.
 */
export async function unsubscribe(
  ctx: Pick<Context, "actor" | "workspace"> & RoutesContext,
  { workspace, ...link }: LinkInput,
): Promise<void> {
  const { emitterId, listenerId, eventName } = link;
  const owner =
    workspace !== undefined || GLOBS.has(emitterId) ? await ownerFor(ctx, workspace) : undefined;
  const whose = { user: ctx.actor.id, owner };
  const keys = await store.keysOfLink(ctx.db, whose, link);
  const existed = await changingRoutes(ctx, keys, (change) =>
    store.deleteSubscription(change, whose, link),
  );
  if (existed) return;
  const message = `No subscription of ${listenerId} to "${eventName}" of ${emitterId}`;
  throw new RequestError("not_found", message);
}

/** The subscriptions of the workspace that the request names; else those of the actor's own emitters. */
export async function listSubscriptions(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
): Promise<store.Subscription[]> {
  if (ctx.workspace !== undefined) return listWorkspaceSubscriptions(ctx, ctx.workspace);
  return store.subscriptionsOf(ctx.db, ctx.actor.id);
}

export async function listWorkspaceSubscriptions(
  ctx: Pick<Context, "actor" | "db">,
  workspace: Id<"workspace">,
): Promise<store.Subscription[]> {
  const rows = await store.subscriptionsOfWorkspace(ctx.db, ctx.actor.id, workspace);
  if (!rows) throw notFound("workspace", workspace);
  return rows;
}

export type AutoSubscriptionInput = {
  eventName: "$errors" | "$logs" | "$alerts";
  listenerId: string;
  workspace?: Id<"workspace"> | undefined;
};

/** Link a listener to a stream of every source and workflow that is created from now on. */
export async function autoSubscribe(
  ctx: Pick<Context, "actor" | "db" | "now" | "workspace">,
  { eventName, listenerId, workspace, filter }: AutoSubscriptionInput & FilterInput,
): Promise<store.AutoSubscription> {
  checkFilter(filter);
  const [ownerId] = await Promise.all([ownerFor(ctx, workspace), checkListener(ctx, listenerId)]);
  return store.insertAutoSubscription(ctx.db, {
    id: newId("auto_subscription"),
    ownerId,
    userId: ctx.actor.id,
    listenerId,
    eventName,
    filter: filter === "" ? null : filter,
    createdAt: ctx.now(),
  });
}

/** The auto-subscriptions of the named workspace, else of the actor. */
export async function listAutoSubscriptions(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  workspace: Id<"workspace"> | undefined,
): Promise<store.AutoSubscription[]> {
  return store.autoSubscriptionsOf(ctx.db, await ownerFor(ctx, workspace));
}

/** Delete an auto-subscription by its fields. Subscriptions that it created stay. */
export async function autoUnsubscribe(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  { eventName, listenerId, workspace }: AutoSubscriptionInput,
): Promise<void> {
  const ownerId = await ownerFor(ctx, workspace);
  const existed = await store.deleteAutoSubscription(ctx.db, { ownerId, listenerId, eventName });
  if (existed) return;
  const message = `No auto-subscription of ${listenerId} to "${eventName}"`;
  throw new RequestError("not_found", message);
}

function checkFilter(filter: string | null | undefined): void {
  const issue = filter ? issueOfFilter(filter) : undefined;
  if (issue) throw invalidInput([issue]);
}

function checkChannel(eventName: string): void {
  if (!eventName.startsWith(SYSTEM_PREFIX)) return;
  if (SYSTEM_CHANNELS.includes(eventName)) return;
  throw invalid("event_name", `must be a custom channel or one of ${SYSTEM_CHANNELS.join(", ")}`);
}

/** The owner of an emitter, who also owns its subscriptions. */
async function ownerOfEmitter(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  { emitterId, eventName, workspace }: Omit<LinkInput, "listenerId">,
): Promise<OwnerId> {
  if (GLOBS.has(emitterId)) return ownerFor(ctx, workspace);
  if (isId("source", emitterId) || isId("workflow", emitterId))
    return (await emitterById(ctx, emitterId)).ownerId;
  if (isId("webhook", emitterId)) return ownerOfWebhook(ctx, emitterId, eventName);
  if (isId("user", emitterId) || isId("workspace", emitterId))
    return ownerOfAll(ctx, emitterId, eventName);
  throw invalid(
    "emitter_id",
    "must be a source, a workflow, dc_*, p_*, or an owner for $errors and $alerts",
  );
}

async function emitterById(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"source"> | Id<"workflow">,
): Promise<{ ownerId: OwnerId }> {
  const emitter = isId("source", id)
    ? await sourceById(ctx.db, ctx.actor.id, id)
    : await workflowById(ctx.db, ctx.actor.id, id);
  if (!emitter) throw notFound(isId("source", id) ? "source" : "workflow", id);
  return emitter;
}

async function ownerOfWebhook(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"webhook">,
  eventName: string,
): Promise<OwnerId> {
  if (eventName !== ALERT_CHANNEL)
    throw invalid("event_name", `must be ${ALERT_CHANNEL} where the emitter is a webhook`);
  const webhook = await webhookById(ctx.db, ctx.actor.id, id);
  if (!webhook) throw notFound("webhook", id);
  return webhook.ownerId;
}

async function ownerOfAll(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  id: OwnerId,
  eventName: string,
): Promise<OwnerId> {
  if (!isOwnersChannel(eventName))
    throw invalid(
      "event_name",
      `must be ${ERROR_CHANNEL} or ${ALERT_CHANNEL} where the emitter is an owner`,
    );
  if (isId("workspace", id)) return ownerFor(ctx, id);
  if (id !== ctx.actor.id) throw notFound("user", id);
  return id;
}

async function checkListener(ctx: Pick<Context, "actor" | "db">, id: string): Promise<void> {
  if (isId("source", id)) return found(await sourceById(ctx.db, ctx.actor.id, id), "source", id);
  if (isId("webhook", id)) return found(await webhookById(ctx.db, ctx.actor.id, id), "webhook", id);
  if (isId("workflow", id))
    return found(await workflowById(ctx.db, ctx.actor.id, id), "workflow", id);
  throw invalid("listener_id", "must be the id of a source, a workflow or a webhook");
}

function found(row: unknown, kind: "source" | "webhook" | "workflow", id: string): void {
  if (!row) throw notFound(kind, id);
}

function invalid(path: string, message: string): RequestError {
  return invalidInput([{ path, message }]);
}

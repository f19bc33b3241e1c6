import { agentSubscriptionOf } from "#db/agent-subscriptions.ts";
import { keysOfListener } from "#db/routes.ts";
import * as store from "#db/webhooks.ts";
import { invalidInput, notFound, RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";
import { hasCredentials, targetRefusal, type TargetRules } from "#domain/targets.ts";
import type {
  DeliveryDetails,
  DeliveryPage,
  DeliveryQuery,
  WebhookStatus,
} from "#durable-objects/webhook/contract.ts";

import { ownerFor } from "./access.ts";
import type { AppContext, Context } from "./context.ts";
import { changingRoutes, type RoutesContext } from "./routes.ts";

export type { Webhook } from "#db/webhooks.ts";
export type {
  Attempt,
  Delivery,
  DeliveryDetails,
  DeliveryPage,
  WebhookStatus,
} from "#durable-objects/webhook/contract.ts";

export type NewWebhook = {
  /** Its id, if it was recorded before; else a new one. */
  id?: Id<"webhook"> | undefined;
  url: string;
  name?: string | undefined;
  description?: string | undefined;
  workspace?: Id<"workspace"> | undefined;
  /** Whether requests also have the signature of the Connect API. */
  connectSignature?: boolean | undefined;
};

/** A webhook with its signing secret, which is shown only here. */
export type CreatedWebhook = { webhook: store.Webhook; signingSecret: string | null };

export async function createWebhook(
  ctx: Context,
  { id = newId("webhook"), url, name, description, workspace, ...kind }: NewWebhook,
): Promise<CreatedWebhook> {
  checkTarget(ctx, url);
  const ownerId = await ownerFor(ctx, workspace);
  const { connectSignature = false } = kind;
  const at = ctx.now();
  // The object first: a row without its object would be a webhook that cannot deliver.
  const settings = { id, url, active: true, ...(connectSignature && { connectSignature }) };
  const { signingSecret } = await ctx.webhooks(id).configure(settings);
  const webhook = await store.insertWebhook(ctx.db, {
    id,
    ownerId,
    userId: ctx.actor.id,
    url,
    name: name ?? null,
    description: description ?? null,
    active: true,
    inactiveReason: null,
    createdAt: at,
    updatedAt: at,
  });
  return { webhook, signingSecret };
}

export async function getWebhook(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
): Promise<{ webhook: store.Webhook; status: WebhookStatus }> {
  const webhook = await webhookFor(ctx, id);
  return { webhook, status: await ctx.webhooks(id).status() };
}

/** The webhooks of the workspace that the request names; else those that the actor owns in person. */
export async function listWebhooks(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  request: FilteredRequest,
): Promise<Page<store.Webhook>> {
  if (ctx.workspace !== undefined) return listWorkspaceWebhooks(ctx, ctx.workspace, request);
  return store.pageOfWebhooks(ctx.db, ctx.actor.id, request);
}

export async function listWorkspaceWebhooks(
  ctx: Pick<Context, "actor" | "db">,
  workspace: Id<"workspace">,
  request: FilteredRequest,
): Promise<Page<store.Webhook>> {
  const scope = { user: ctx.actor.id, workspace };
  const page = await store.pageOfWorkspaceWebhooks(ctx.db, scope, request);
  if (!page) throw notFound("workspace", workspace);
  return page;
}

export async function updateWebhook(
  ctx: Context,
  id: Id<"webhook">,
  change: store.WebhookChange,
): Promise<store.Webhook> {
  if (change.url !== undefined) {
    checkTarget(ctx, change.url);
    await refuseForAgent(ctx, id);
  }
  const webhook = await store.updateWebhook(ctx.db, ctx.actor.id, { id, at: ctx.now(), change });
  if (!webhook) throw notFound("webhook", id);
  const { url, active } = webhook;
  await ctx.webhooks(id).configure({ id, url, active });
  return webhook;
}

/** Delete a webhook with its subscriptions: nothing more is sent. */
export async function deleteWebhook(
  ctx: Pick<Context, "actor" | "now" | "webhooks"> & RoutesContext,
  id: Id<"webhook">,
): Promise<void> {
  const keys = await keysOfListener(ctx.db, id);
  const existed = await changingRoutes(ctx, keys, (change) =>
    store.deleteWebhook(change, ctx.actor.id, { id, at: ctx.now() }),
  );
  if (!existed) throw notFound("webhook", id);
  await ctx.webhooks(id).remove();
}

/** Sign with a new secret; the old one also signs for the overlap, in seconds. */
export async function rotateWebhookSecret(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
  overlapSeconds: number | undefined,
): Promise<string | null> {
  await webhookFor(ctx, id);
  await refuseForAgent(ctx, id);
  const overlapMs = overlapSeconds === undefined ? undefined : overlapSeconds * 1000;
  return (await ctx.webhooks(id).rotateSecret(overlapMs)).signingSecret;
}

export async function listDeliveries(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  await webhookFor(ctx, id);
  return ctx.webhooks(id).deliveries(query);
}

/** The deliveries of any webhook, for the operator. */
export async function listDeliveriesOf(
  ctx: Pick<AppContext, "db" | "webhooks">,
  id: Id<"webhook">,
  query: DeliveryQuery,
): Promise<DeliveryPage> {
  await anyWebhook(ctx, id);
  return ctx.webhooks(id).deliveries(query);
}

/** Send a delivery of any webhook again, for the operator. */
export async function retryDeliveryOf(
  ctx: Pick<AppContext, "db" | "webhooks">,
  id: Id<"webhook">,
  delivery: string,
): Promise<void> {
  const { active } = await anyWebhook(ctx, id);
  await retryWhere(ctx, { id, active }, delivery);
}

/** One delivery, with the request that carries it. */
export async function getDelivery(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
  delivery: string,
): Promise<DeliveryDetails> {
  await webhookFor(ctx, id);
  const found = await ctx.webhooks(id).delivery(delivery);
  if (!found) throw deliveryMissing(delivery);
  return found;
}

export async function retryDelivery(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
  delivery: string,
): Promise<void> {
  const { active } = await webhookFor(ctx, id);
  await retryWhere(ctx, { id, active }, delivery);
}

async function retryWhere(
  ctx: Pick<AppContext, "webhooks">,
  { id, active }: Pick<store.Webhook, "id" | "active">,
  delivery: string,
): Promise<void> {
  if (!active) throw inactive(id);
  const isKnown = await ctx.webhooks(id).retry(delivery);
  if (!isKnown) throw deliveryMissing(delivery);
}

/**
 * Replay the events of a range of time, epoch milliseconds. Returns the number of deliveries; with `isDry` nothing is
 * sent.
 */
export async function replayDeliveries(
  ctx: Pick<Context, "actor" | "db" | "webhooks">,
  id: Id<"webhook">,
  { fromMs, toMs, isDry }: { fromMs: number; toMs: number; isDry: boolean },
): Promise<number> {
  const { active } = await webhookFor(ctx, id);
  if (!active) throw inactive(id);
  const webhook = ctx.webhooks(id);
  return isDry ? webhook.replayable(fromMs, toMs) : webhook.replay(fromMs, toMs);
}

async function webhookFor(
  ctx: Pick<Context, "actor" | "db">,
  id: Id<"webhook">,
): Promise<store.Webhook> {
  const webhook = await store.webhookById(ctx.db, ctx.actor.id, id);
  if (!webhook) throw notFound("webhook", id);
  return webhook;
}

async function anyWebhook(ctx: Pick<AppContext, "db">, id: Id<"webhook">): Promise<store.Webhook> {
  const webhook = await store.webhookById(ctx.db, undefined, id);
  if (!webhook) throw notFound("webhook", id);
  return webhook;
}

/** Refuse to change a webhook that an agent chose and verified. */
async function refuseForAgent(ctx: Pick<Context, "db">, id: Id<"webhook">): Promise<void> {
  if (!(await agentSubscriptionOf(ctx.db, id))) return;
  const message = `${id} serves a subscription of an agent, who alone chooses its URL and secret`;
  throw new RequestError("conflict", message);
}

/** Refuse a URL that no delivery may be sent to. */
export function checkTarget(rules: TargetRules, url: string): void {
  const refusal = hasCredentials(url)
    ? "must have no user and no password: deliveries are signed"
    : targetRefusal(url, rules);
  if (refusal !== undefined) throw invalidInput([{ path: "url", message: refusal }]);
}

function deliveryMissing(id: string): RequestError {
  return new RequestError("not_found", `No delivery with id ${id}`);
}

function inactive(id: Id<"webhook">): RequestError {
  return new RequestError(
    "conflict",
    `${id} is inactive: it sends nothing until it is active again`,
  );
}

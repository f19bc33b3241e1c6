import * as store from "#db/agent-subscriptions.ts";
import { ACCESS_REVOKED, type Termination } from "#domain/agent-events.ts";
import { mapAtMost } from "#domain/concurrency.ts";
import { RequestError } from "#domain/errors.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../../context.ts";
import { deleteWebhook } from "../../webhooks.ts";
import { type AgentContext, requireKind } from "../context.ts";
import { type EndSourceContext, releaseSource } from "../shared-sources/end.ts";
import { type SubscriptionKey, subscriptionId } from "./identity.ts";

/** Maximum subscriptions that are ended at once. */
const MAX_AT_ONCE = 10;

/** End a subscription of the agent's: no event is sent from then on. */
export async function unsubscribeFromEvents(
  agent: AgentContext,
  key: SubscriptionKey,
): Promise<void> {
  requireKind(agent, "subscribe");
  const id = await subscriptionId(agent, key);
  const known = await store.agentSubscriptionById(agent.db, id);
  if (!known || known.expiresAt <= agent.now())
    throw new RequestError("not_found", "There is no such subscription", { kind: "subscription" });
  await endSubscription(agent, known);
}

/** End a subscription; with an error, the callback gets one notification. The last one ends a source that was deployed for agents. */
export async function endSubscription(
  ctx: EndSourceContext,
  subscription: store.AgentSubscription,
  error?: Termination,
): Promise<void> {
  if (error) await stopDeliveries(ctx, subscription, error);
  await deleteSubscription(ctx, subscription);
  await releaseSource(ctx, subscription.sourceId);
}

/** Erase the webhook of a subscription, which sends one notification of the error and nothing else from then on. */
async function stopDeliveries(
  ctx: EndSourceContext,
  { id: subject_id, webhookId }: store.AgentSubscription,
  error: Termination,
): Promise<void> {
  await ctx
    .webhooks(webhookId)
    .terminate(error)
    .catch((failure: unknown) => {
      log("object_unremoved", { request_id: ctx.requestId, subject_id, error: failure });
    });
}

/** Delete a subscription, and leave its source as it is. Idempotent. */
export async function deleteSubscription(
  ctx: EndSourceContext,
  { userId, webhookId }: store.AgentSubscription,
): Promise<void> {
  const actor = { id: userId, plan: "free" as const, ...NO_QUOTAS };
  await deleteWebhook({ ...ctx, actor }, webhookId).catch((failure: unknown) => {
    if (!(failure instanceof RequestError && failure.code === "not_found")) throw failure;
  });
}

/**
 * End the subscriptions that a revocation affects, once it is stored: no event is sent after this resolves. Their
 * sources are deleted in the background, because hooks of components may be slow. The sweep retries the rest.
 */
export async function endRevokedSubscriptions(
  ctx: EndSourceContext & Pick<AppContext, "inBackground">,
  revocation: store.Revocation,
): Promise<void> {
  const ended = await store.unauthorizedSubscriptions(ctx.db, revocation);
  await mapAtMost(MAX_AT_ONCE, ended, (one) => stopDeliveries(ctx, one, ACCESS_REVOKED));
  await mapAtMost(MAX_AT_ONCE, ended, (one) => deleteSubscription(ctx, one));
  const sources = [...new Set(ended.map(({ sourceId }) => sourceId))];
  ctx.inBackground(mapAtMost(MAX_AT_ONCE, sources, (id) => releaseSource(ctx, id)));
}

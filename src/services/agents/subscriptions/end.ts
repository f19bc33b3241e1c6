import * as store from "#db/agent-subscriptions.ts";
import { RequestError } from "#domain/errors.ts";
import type { Id } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";
import type { Termination } from "#durable-objects/webhook/contract.ts";
import { log } from "#telemetry/log.ts";

import { deleteWebhook } from "../../webhooks.ts";
import { type AgentContext, requireKind } from "../context.ts";
import { type EndSourceContext, releaseSource } from "../shared-sources/end.ts";
import { type SubscriptionKey, subscriptionId } from "./identity.ts";

/** The errors of subscriptions that no agent ended, with the codes of SEP-3415. */
export const GONE = { code: -32023, message: "The event type does not exist any more" };
export const REVOKED = { code: -32024, message: "The access of the agent was revoked" };

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
  const { id, sourceId, webhookId } = subscription;
  if (error)
    await ctx
      .webhooks(webhookId)
      .terminate(error)
      .catch((failure: unknown) => {
        log("object_unremoved", { request_id: ctx.requestId, subject_id: id, error: failure });
      });
  await deleteSubscription(ctx, subscription);
  await releaseSource(ctx, sourceId);
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

/** End the subscriptions of a revoked grant. */
export async function endSubscriptionsOf(
  ctx: EndSourceContext,
  grant: Id<"agent_grant">,
): Promise<void> {
  for (const one of await store.agentSubscriptionsOf(ctx.db, grant))
    await endSubscription(ctx, one, REVOKED);
}

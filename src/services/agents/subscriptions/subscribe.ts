import { isShared } from "#db/agent-sources.ts";
import * as store from "#db/agent-subscriptions.ts";
import { updateWebhook } from "#db/webhooks.ts";
import { RequestError } from "#domain/errors.ts";
import { eventId, millisecondsOf, type Position, positionOf } from "#domain/event-ids.ts";
import { sha256Hex } from "#domain/hash.ts";

import { admitSubscription } from "../admission.ts";
import { type AgentContext, authorityOf, requireKind } from "../context.ts";
import { eventIdIn } from "../event-history.ts";
import { type EventType, isNarrowed, openEventType } from "../event-types.ts";
import { releaseSource } from "../shared-sources/end.ts";
import { sharingKey } from "../shared-sources/key.ts";
import { checkCallback, verifyCallback } from "./callback.ts";
import { callbackOf, createSubscription, serve } from "./create.ts";
import { deleteSubscription } from "./end.ts";
import { principalOf, subscriptionId } from "./identity.ts";
import { replay } from "./replay.ts";
import type { GrantedSubscription, NewSubscription, SubscriptionRequest } from "./request.ts";

export type { GrantedSubscription } from "./request.ts";

/** The number of replaced secrets that are stored, so that none of them is used again. */
const MAX_REPLACED = 20;

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

/** The lifetime of a subscription: by default, at least and at most. */
const TTL_MS = { usual: DAY_MS, min: SECOND_MS, max: 7 * DAY_MS };

/**
 * Subscribe a callback to an event type, or refresh the subscription of the same agent, callback, type and arguments.
 * The callback must prove that it wants the events. Once this resolves, the subscription survives a crash.
 */
export async function subscribeToEvents(
  agent: AgentContext,
  input: NewSubscription,
): Promise<GrantedSubscription> {
  requireKind(agent, "subscribe");
  checkCallback(agent, input);
  const place = await eventIdIn(agent, input);
  const type = await openEventType(agent, input);
  await admitSubscription(agent);
  const request = {
    input,
    id: await subscriptionId(agent, input),
    type,
    secretHash: await sha256Hex(input.secret),
    expiresAt: expiryOf(agent, input),
    after: place === undefined ? undefined : positionOf(place),
  };
  await refuseForeignSecret(agent, request);
  const known = await store.agentSubscriptionById(agent.db, request.id);
  const refreshed = known && (await refresh(agent, request, known));
  if (refreshed) return refreshed;
  if (known) await deleteSubscription(agent, known);
  try {
    return (await createSubscription(agent, request)) ?? (await refreshOther(agent, request));
  } finally {
    // A shared source goes on for the new one, if it is the same.
    if (known) await releaseSource(agent, known.sourceId);
  }
}

/** Refresh a subscription that another equal request created meanwhile. */
async function refreshOther(
  agent: AgentContext,
  request: SubscriptionRequest,
): Promise<GrantedSubscription> {
  const other = await store.agentSubscriptionById(agent.db, request.id);
  const refreshed = other && (await refresh(agent, request, other));
  if (!refreshed) throw new RequestError("conflict", "The subscription has ended meanwhile");
  return refreshed;
}

/** Extend a subscription, and resume its deliveries. Undefined: it has ended meanwhile. */
async function refresh(
  agent: AgentContext,
  request: SubscriptionRequest,
  known: store.AgentSubscription,
): Promise<GrantedSubscription | undefined> {
  const { input, id, type, expiresAt } = request;
  const { sourceId, webhookId } = known;
  const progress = await agent.webhooks(webhookId).progress();
  if (!progress || !(await mayGoOn(agent, type, known))) return undefined;
  const { ownerId: _, ...authority } = authorityOf(agent);
  const refreshed = await store.refreshAgentSubscription(agent.db, known, {
    ...(await secretsOf(agent, request, known)),
    ...authority,
    expiresAt,
    updatedAt: agent.now(),
  });
  if (!refreshed) return undefined;
  await serve(agent, refreshed, { secret: input.secret });
  await refuseIfEnded(agent, refreshed);
  if (!progress.active) await reactivate(agent, known, request.after);
  // Resumes a replay that a crash interrupted; events that the callback has are not sent again.
  const replayed = await replay(agent, {
    sourceId,
    webhookId,
    type,
    after: request.after === undefined ? undefined : eventId(request.after),
    maxAgeMs: input.maxAgeMs,
  });
  const truncated = !progress.active && replayed.truncated;
  return { id, expiresAt, truncated, progress, isNew: false };
}

/** Refuse a subscription that was ended while its webhook was set up, which must send nothing then. */
async function refuseIfEnded(
  agent: AgentContext,
  { id, webhookId }: store.AgentSubscription,
): Promise<void> {
  const current = await store.agentSubscriptionById(agent.db, id);
  if (current?.webhookId === webhookId) return;
  await agent.webhooks(webhookId).remove();
  throw new RequestError("conflict", "The subscription has ended meanwhile");
}

/**
 * Whether a subscription goes on with its source. One to a component does, also where there is a newer version, unless the token is
 * narrowed: then the token must reach the source now.
 */
async function mayGoOn(
  agent: AgentContext,
  { configured }: EventType,
  { sourceId, expiresAt }: store.AgentSubscription,
): Promise<boolean> {
  if (expiresAt <= agent.now()) return false;
  if (!configured || !isNarrowed(agent)) return true;
  return isShared(agent.db, sourceId, await sharingKey(agent, configured));
}

/** The secrets of a refreshed subscription. A callback with a new one must be verified again. */
async function secretsOf(
  agent: AgentContext,
  { input, id, secretHash }: SubscriptionRequest,
  known: store.AgentSubscription,
): Promise<Pick<store.Refresh, "replacedHashes" | "secretHash">> {
  const { replacedHashes } = known;
  if (known.secretHash === secretHash) return { secretHash, replacedHashes };
  if (replacedHashes.includes(secretHash)) throw replayedSecret();
  await verifyCallback(agent, known.webhookId, callbackOf(input, id));
  const replaced = [known.secretHash, ...replacedHashes].slice(0, MAX_REPLACED);
  return { secretHash, replacedHashes: replaced };
}

/** Send again the deliveries after a position that failed before a webhook was deactivated. */
async function reactivate(
  agent: AgentContext,
  { webhookId, userId }: store.AgentSubscription,
  after: Position | undefined,
): Promise<void> {
  const change = { id: webhookId, at: agent.now(), change: { active: true } };
  await updateWebhook(agent.db, userId, change);
  if (after !== undefined)
    await agent.webhooks(webhookId).replay(millisecondsOf(after), Date.now());
}

/** Refuse a secret that another agent signs with: it is a replay. */
async function refuseForeignSecret(
  agent: AgentContext,
  { secretHash }: Pick<SubscriptionRequest, "secretHash">,
): Promise<void> {
  if (await store.isSecretOfOther(agent.db, secretHash, principalOf(agent))) throw replayedSecret();
}

function replayedSecret(): RequestError {
  const message = "delivery.secret: was used before: make a new one";
  return new RequestError("invalid_input", message);
}

/** The end of a subscription: after its lifetime, and not after the connect token that allows it. */
function expiryOf(
  { credentials, now }: Pick<AgentContext, "credentials" | "now">,
  { ttlMs }: Pick<NewSubscription, "ttlMs">,
): number {
  return Math.min(now() + secondsOf(ttlMs), credentials.expiresAt ?? Infinity);
}

function secondsOf(ttlMs: number | null | undefined): number {
  const wanted = ttlMs === null ? TTL_MS.max : (ttlMs ?? TTL_MS.usual);
  return Math.ceil(Math.min(Math.max(wanted, TTL_MS.min), TTL_MS.max) / SECOND_MS);
}

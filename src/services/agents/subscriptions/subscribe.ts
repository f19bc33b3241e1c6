import * as store from "#db/agent-subscriptions.ts";
import { updateWebhook } from "#db/webhooks.ts";
import { RequestError } from "#domain/errors.ts";
import { eventId, millisecondsOf, type Position, positionOf } from "#domain/event-ids.ts";
import { sha256Hex } from "#domain/hash.ts";
import { type Id, newId } from "#domain/ids.ts";
import { encodeCursor } from "#domain/page.ts";
import type { AgentProgress, NewCallback } from "#durable-objects/webhook/contract.ts";

import { changingRoutes } from "../../routes.ts";
import { admitSubscription } from "../admission.ts";
import { type AgentContext, requireKind } from "../context.ts";
import { newestEvent, placeOf } from "../event-history.ts";
import { filterOf, sourceOfType } from "../events.ts";
import { checkCallback, verifyCallback } from "./callback.ts";
import { endSubscription } from "./end.ts";
import { argumentsText, principalOf, type SubscriptionKey, subscriptionId } from "./identity.ts";
import { replay } from "./replay.ts";

/** Maximum subscriptions of an owner, and of all external users of a project together. */
const MAX_SUBSCRIPTIONS = { owner: 100, project: 1000 };

/** The number of replaced secrets that are stored, so that none of them is used again. */
const MAX_REPLACED = 20;

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;

/** The lifetime of a subscription: by default, at least and at most. */
const TTL_MS = { usual: DAY_MS, min: SECOND_MS, max: 7 * DAY_MS };

/** A subscription to an event type by a callback. */
export type NewSubscription = SubscriptionKey & {
  secret: string;
  /** The first event comes after it; undefined: events from now on. */
  cursor: string | undefined;
  /** Null: the maximum. */
  ttlMs: number | null | undefined;
  maxAgeMs: number | undefined;
};

/** A subscription as it was granted. */
export type GrantedSubscription = {
  id: Id<"agent_subscription">;
  /** Epoch seconds. */
  expiresAt: number;
  /** Whether events after the cursor were left out. */
  truncated: boolean;
  /** Its current cursor. */
  progress: AgentProgress;
  isNew: boolean;
};

/** A request to subscribe, with its identity and its destination. */
type Request = {
  input: NewSubscription;
  id: Id<"agent_subscription">;
  sourceId: Id<"source">;
  secretHash: string;
  expiresAt: number;
  after: Position | undefined;
};

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
  filterOf(input.arguments);
  const place = placeOf(input.cursor);
  const sourceId = await sourceOfType(agent, input.name);
  await admitSubscription(agent);
  const request = {
    input,
    id: await subscriptionId(agent, input),
    sourceId,
    secretHash: await sha256Hex(input.secret),
    expiresAt: agent.now() + secondsOf(input.ttlMs),
    after: place === undefined ? undefined : positionOf(place),
  };
  await refuseForeignSecret(agent, request);
  const known = await store.agentSubscriptionById(agent.db, request.id);
  const refreshed = known && (await refresh(agent, request, known));
  if (refreshed) return refreshed;
  if (known) await endSubscription(agent, known);
  return create(agent, request);
}

/** Extend a subscription, and resume its deliveries. Undefined: it has ended meanwhile. */
async function refresh(
  agent: AgentContext,
  request: Request,
  known: store.AgentSubscription,
): Promise<GrantedSubscription | undefined> {
  const { input, id, expiresAt, sourceId } = request;
  const { webhookId } = known;
  const progress = await agent.webhooks(webhookId).progress();
  if (!progress || known.expiresAt <= agent.now()) return undefined;
  const refreshed = await store.refreshAgentSubscription(agent.db, known, {
    ...(await secretsOf(agent, request, known)),
    expiresAt,
    grantId: agent.grant?.id ?? null,
    updatedAt: agent.now(),
  });
  if (!refreshed) return undefined;
  await serve(agent, refreshed, { secret: input.secret });
  if (!progress.active) await reactivate(agent, known, request.after);
  // Resumes a replay that a crash interrupted; events that the callback has are not sent again.
  const replayed = await replay(agent, { sourceId, webhookId, ...input });
  const truncated = !progress.active && replayed.truncated;
  return { id, expiresAt, truncated, progress, isNew: false };
}

/** The secrets of a refreshed subscription. A callback with a new one must be verified again. */
async function secretsOf(
  agent: AgentContext,
  { input, id, secretHash }: Request,
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

async function create(agent: AgentContext, request: Request): Promise<GrantedSubscription> {
  const { input, id, sourceId, expiresAt } = request;
  await requireRoom(agent);
  const webhookId = newId("webhook");
  await verifyCallback(agent, webhookId, callbackOf(input, id));
  const after = request.after ?? positionOf(await newestEvent(agent, sourceId)) ?? 0;
  const subscription = rowOf(agent, request, webhookId);
  await serve(agent, subscription, { secret: input.secret, after });
  try {
    await insert(agent, subscription);
  } catch (error) {
    await agent.webhooks(webhookId).remove();
    const other = await store.agentSubscriptionById(agent.db, id);
    const refreshed = other && (await refresh(agent, request, other));
    if (!refreshed) throw error;
    return refreshed;
  }
  // Events emitted since then are not routed to it.
  const cursor = encodeCursor({ kind: "event", id: eventId(after) });
  const { truncated } = await replay(agent, { ...input, sourceId, webhookId, cursor });
  const progress = await agent.webhooks(webhookId).progress();
  if (!progress) throw new RequestError("conflict", "The subscription has ended meanwhile");
  const isCut = input.cursor !== undefined && truncated;
  return { id, expiresAt, truncated: isCut, progress, isNew: true };
}

function callbackOf({ url, secret }: NewSubscription, id: Request["id"]): NewCallback {
  return { url, secret, subscriptionId: id };
}

/** Set up the webhook of a subscription. `after`: its first position; absent: unchanged. */
async function serve(
  agent: AgentContext,
  { id, name, url, webhookId, expiresAt }: Omit<store.AgentSubscription, "seq">,
  { secret, ...begin }: { secret: string; after?: Position },
): Promise<void> {
  const delivery = { subscriptionId: id, name, expiresAtMs: expiresAt * SECOND_MS, ...begin };
  const settings = { id: webhookId, url, active: true, agent: delivery };
  await agent.webhooks(webhookId).serve(settings, secret);
}

function rowOf(
  agent: AgentContext,
  { input, id, sourceId, secretHash, expiresAt }: Request,
  webhookId: Id<"webhook">,
): Omit<store.AgentSubscription, "seq"> {
  const at = agent.now();
  return {
    id,
    ownerId: agent.owner,
    userId: agent.actor.id,
    principal: principalOf(agent),
    grantId: agent.grant?.id ?? null,
    projectId: agent.project?.project.id ?? null,
    name: input.name,
    arguments: argumentsText(input.arguments),
    url: input.url,
    sourceId,
    webhookId,
    secretHash,
    replacedHashes: [],
    expiresAt,
    createdAt: at,
    updatedAt: at,
  };
}

/**
 * Store a subscription with its webhook and its link. The actor owns the webhook, so that the link ends with the
 * actor's access to the source.
 */
async function insert(
  agent: AgentContext,
  subscription: Omit<store.AgentSubscription, "seq">,
): Promise<void> {
  const { webhookId, sourceId, url, ownerId, userId, createdAt, updatedAt } = subscription;
  const { filter }: { filter?: string } = JSON.parse(subscription.arguments);
  await changingRoutes(agent, [{ ownerId, emitterId: sourceId }], (change) =>
    store.insertAgentSubscription(change, {
      subscription,
      webhook: {
        id: webhookId,
        ownerId: userId,
        userId,
        url,
        name: "Subscription of an agent",
        description: `${subscription.id} to ${subscription.name}`,
        active: true,
        inactiveReason: null,
        createdAt,
        updatedAt,
      },
      link: {
        id: newId("subscription"),
        ownerId,
        userId,
        emitterId: sourceId,
        listenerId: webhookId,
        eventName: "",
        filter: filter ?? null,
        createdAt,
      },
    }),
  );
}

async function requireRoom({ db, owner, project }: AgentContext): Promise<void> {
  const counted = await store.countAgentSubscriptions(db, owner, project?.project.id);
  for (const whose of ["owner", "project"] as const) {
    const max = MAX_SUBSCRIPTIONS[whose];
    if (counted[whose] < max) continue;
    const message = `There may be at most ${max} subscriptions of agents of one ${whose}`;
    throw new RequestError("quota_exceeded", message, { limit: "subscriptions", max });
  }
}

/** Refuse a secret that another agent signs with: it is a replay. */
async function refuseForeignSecret(
  agent: AgentContext,
  { secretHash }: Pick<Request, "secretHash">,
): Promise<void> {
  if (await store.isSecretOfOther(agent.db, secretHash, principalOf(agent))) throw replayedSecret();
}

function replayedSecret(): RequestError {
  const message = "delivery.secret: was used before: make a new one";
  return new RequestError("invalid_input", message);
}

function secondsOf(ttlMs: number | null | undefined): number {
  const wanted = ttlMs === null ? TTL_MS.max : (ttlMs ?? TTL_MS.usual);
  return Math.ceil(Math.min(Math.max(wanted, TTL_MS.min), TTL_MS.max) / SECOND_MS);
}

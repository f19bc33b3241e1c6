import { hasAuthority } from "#db/agent-authority.ts";
import { isOverQuota } from "#db/agent-quotas.ts";
import { isShared } from "#db/agent-sources.ts";
import * as store from "#db/agent-subscriptions.ts";
import { RequestError } from "#domain/errors.ts";
import { eventId, type Position, positionOf } from "#domain/event-ids.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { NewCallback } from "#durable-objects/webhook/contract.ts";

import { changingRoutes } from "../../routes.ts";
import { type AgentContext, authorityOf } from "../context.ts";
import { isBefore, placeOfNow } from "../event-history.ts";
import type { EventType } from "../event-types.ts";
import { type EventSource, sourceOfType } from "../shared-sources/share.ts";
import { verifyCallback } from "./callback.ts";
import { argumentsText, principalOf } from "./identity.ts";
import { replay } from "./replay.ts";
import type { GrantedSubscription, NewSubscription, SubscriptionRequest } from "./request.ts";
import { requireRoom } from "./room.ts";

/** Maximum attempts to subscribe to a source that another request ends meanwhile, or while others use up a quota. */
const MAX_ATTEMPTS = 5;

const SECOND_MS = 1000;

type NewRow = Omit<store.AgentSubscription, "seq">;

/**
 * Create a subscription. Its callback is verified before a source is deployed for it. Undefined: another request has
 * just created the same one.
 */
export async function createSubscription(
  agent: AgentContext,
  request: SubscriptionRequest,
): Promise<GrantedSubscription | undefined> {
  const { input, id, type } = request;
  await requireRoom(agent);
  await verifyCallback(agent, newId("webhook"), callbackOf(input, id));
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const source = await sourceOfType(agent, type, "subscription");
    const made = await subscribeTo(agent, request, source);
    if (made === "taken") return undefined;
    if (made !== "ended") return made;
  }
  throw new RequestError("conflict", "The source of this event type is being ended: try again");
}

export function callbackOf({ url, secret }: NewSubscription, id: NewRow["id"]): NewCallback {
  return { url, secret, subscriptionId: id };
}

/** Set up the webhook of a subscription. `after`: its first position; absent: unchanged. */
export async function serve(
  agent: AgentContext,
  { id, name, url, webhookId, expiresAt }: NewRow,
  { secret, ...begin }: { secret: string; after?: Position },
): Promise<void> {
  const { owner } = agent;
  const delivery = {
    subscriptionId: id,
    owner,
    name,
    expiresAtMs: expiresAt * SECOND_MS,
    ...begin,
  };
  const settings = { id: webhookId, url, active: true, agent: delivery };
  await agent.webhooks(webhookId).serve(settings, secret);
}

/**
 * Subscribe to a source. "ended": the shared source was ended meanwhile, or another subscription that used up a quota;
 * "taken": another request created the same subscription.
 */
async function subscribeTo(
  agent: AgentContext,
  request: SubscriptionRequest,
  source: EventSource,
): Promise<GrantedSubscription | "ended" | "taken"> {
  const { input, id, type, expiresAt } = request;
  const webhookId = newId("webhook");
  const after = request.after ?? (await positionOfNow(agent, source));
  const subscription = rowOf(agent, request, { webhookId, sourceId: source.id });
  await serve(agent, subscription, { secret: input.secret, after });
  try {
    await insert(agent, subscription, { type, source });
  } catch (error) {
    await agent.webhooks(webhookId).remove();
    return await outcomeOf(agent, { id, source, error });
  }
  // Events emitted since then are not routed to it.
  const place = eventId(after);
  const begun = { ...input, sourceId: source.id, webhookId, type, after: place };
  const { truncated } = await replay(agent, begun);
  const progress = await agent.webhooks(webhookId).progress();
  if (!progress) throw new RequestError("conflict", "The subscription has ended meanwhile");
  const isCut = input.cursor !== undefined && (truncated || isBefore(place, source));
  return { id, expiresAt, truncated: isCut, progress, isNew: true };
}

async function positionOfNow(agent: AgentContext, source: EventSource): Promise<Position> {
  return positionOf(await placeOfNow(agent, source)) ?? 0;
}

/** The reason why a subscription could not be stored. Throws the error if the reason is unknown. */
async function outcomeOf(
  agent: AgentContext,
  { id, source, error }: { id: NewRow["id"]; source: EventSource; error: unknown },
): Promise<"ended" | "taken"> {
  const { db } = agent;
  if (!(await hasAuthority(db, authorityOf(agent)))) throw revokedMeanwhile();
  if (await store.agentSubscriptionById(db, id)) return "taken";
  if (source.isShared && !(await isShared(db, source.id))) return "ended";
  if (!isOverQuota(error)) throw error;
  await requireRoom(agent);
  return "ended";
}

/** The error of an agent whose credentials were revoked during its request. */
function revokedMeanwhile(): RequestError {
  return new RequestError("forbidden", "The access of the agent was revoked during the request");
}

function rowOf(
  agent: AgentContext,
  { input, id, secretHash, expiresAt }: SubscriptionRequest,
  ids: { webhookId: Id<"webhook">; sourceId: Id<"source"> },
): NewRow {
  const at = agent.now();
  return {
    id,
    userId: agent.actor.id,
    principal: principalOf(agent),
    ...authorityOf(agent),
    projectId: agent.project?.project.id ?? null,
    name: input.name,
    arguments: argumentsText(input.arguments),
    url: input.url,
    ...ids,
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
  subscription: NewRow,
  { type, source }: { type: Pick<EventType, "filter">; source: EventSource },
): Promise<void> {
  const { webhookId, sourceId, url, ownerId, userId, createdAt, updatedAt } = subscription;
  await changingRoutes(agent, [{ ownerId, emitterId: sourceId }], (change) =>
    store.insertAgentSubscription(change, {
      subscription,
      isShared: source.isShared,
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
        filter: type.filter ?? null,
        createdAt,
        // Its webhook drops the events before those that it asked for.
        sinceMs: 0,
      },
    }),
  );
}

import { sha256Hex } from "#domain/hash.ts";
import type { Id } from "#domain/ids.ts";

import type { AgentContext } from "../context.ts";
import type { EventArguments, NamedEventType } from "../event-types.ts";
import { sorted } from "../shared-sources/key.ts";

/** The identity of a subscription, which never changes. */
export type SubscriptionKey = NamedEventType & { url: string };

/** The length of an id, in hexadecimal digits. */
const ID_DIGITS = 32;

/**
 * The agent that subscriptions belong to: a key, or an OAuth client across all of its authorizations. Another key of
 * the same owner is another agent, so that no agent can end or redirect the subscriptions of another one.
 */
export function principalOf({ owner, grant }: Pick<AgentContext, "grant" | "owner">): string {
  return JSON.stringify([owner, grant?.clientId ?? grant?.id ?? null]);
}

/**
 * The id of a subscription: always the same for the same agent, callback, event type and arguments. It authorizes
 * nothing.
 */
export async function subscriptionId(
  agent: Pick<AgentContext, "grant" | "owner">,
  { name, url, ...key }: SubscriptionKey,
): Promise<Id<"agent_subscription">> {
  const parts = [principalOf(agent), url, name, argumentsText(key.arguments)];
  return `ags_${(await sha256Hex(JSON.stringify(parts))).slice(0, ID_DIGITS)}`;
}

/** The canonical JSON text of arguments. */
export function argumentsText({ filter, ...others }: EventArguments): string {
  const isNone = filter === undefined || filter === null || filter === "";
  return JSON.stringify(sorted(isNone ? others : { ...others, filter }));
}

import { eventCursorList, occurrenceOf } from "#domain/agent-events.ts";
import { eventId, isEmittedSince, millisecondsOf, type Position } from "#domain/event-ids.ts";
import { areEqual } from "#domain/hash.ts";
import { newToken } from "#domain/ids.ts";
import { valueOf, isJsonObject, type Json } from "#domain/json.ts";
import { plainCursor } from "#domain/page.ts";
import type { Network } from "#sandbox/egress/network.ts";
import type { Vault } from "#vault/vault.ts";

import {
  headersOf,
  isSuccess,
  type Message,
  type Outgoing,
  TIMEOUT_MS,
  transmit,
} from "./attempt.ts";
import type {
  AgentDelivery,
  Attempt,
  CallbackFailure,
  NewCallback,
  NewDelivery,
} from "./contract.ts";

/** Maximum size of a body for a callback (SEP-3415: Delivery profile). */
const MAX_BODY_BYTES = 256 * 1024;

/** Timeout of a callback's challenge. */
const CHALLENGE_TIMEOUT_MS = 10_000;

/**
 * Filter the events since a webhook's activation or, if it serves an agent, those that its subscription is for; none
 * once that has expired.
 */
export function admitted(
  deliveries: NewDelivery[],
  { agent, activeSinceMs }: { agent?: AgentDelivery; activeSinceMs?: number | undefined } = {},
  nowMs: number,
): NewDelivery[] {
  if (!agent) return deliveries.filter(({ position }) => isEmittedSince(position, activeSinceMs));
  if (hasExpired(agent, nowMs)) return [];
  return deliveries.filter(({ position }) => position > agent.after);
}

export function hasExpired({ expiresAtMs }: AgentDelivery, nowMs: number): boolean {
  return expiresAtMs <= nowMs;
}

/**
 * The message of a delivery to an agent's callback: the event or, if that is too large, the notice of a gap.
 * `watermark`: the position up to which the callback has everything once it has this.
 */
export async function agentMessage(
  delivery: Outgoing,
  agent: Pick<AgentDelivery, "name" | "owner" | "subscriptionId">,
  { watermark, vault }: { watermark: Position; vault: Vault },
): Promise<Message> {
  const { name, subscriptionId } = agent;
  const { emitId, payload, position } = delivery;
  const cursor = await cursorAt(watermark, agent, vault);
  const event = { emitId, indexedAtMs: millisecondsOf(position), payload };
  const body = JSON.stringify(occurrenceOf(name, event, cursor));
  const headers = { ...headersOf(delivery), ...headersFor(subscriptionId) };
  if (new TextEncoder().encode(body).length <= MAX_BODY_BYTES) return { id: emitId, body, headers };
  return { id: `msg_gap_${emitId}`, body: JSON.stringify({ type: "gap", cursor }), headers };
}

/** A control message to a callback. */
export function controlMessage(
  control: { type: string; [field: string]: Json },
  subscriptionId: string,
): Message {
  return {
    id: `msg_${control.type}_${newToken()}`,
    body: JSON.stringify(control),
    headers: { "content-type": "application/json", ...headersFor(subscriptionId) },
  };
}

/** The cursor from which clients resume after a position. */
async function cursorAt(
  position: Position,
  { owner, name }: Pick<AgentDelivery, "name" | "owner">,
  vault: Vault,
): Promise<string> {
  const event = { kind: "event", id: eventId(position) } as const;
  return owner === undefined
    ? plainCursor(event)
    : vault.sealCursor(event, eventCursorList(owner, name));
}

/** Whether the server at a URL wants the events: it must return a challenge. Null: it did. */
export async function challenge(
  { url, secret, subscriptionId }: NewCallback,
  network: Network,
): Promise<CallbackFailure | null> {
  const nonce = newToken() + newToken();
  const message = controlMessage({ type: "verification", challenge: nonce }, subscriptionId);
  const target = { url, secrets: [secret], timeoutMs: CHALLENGE_TIMEOUT_MS };
  const { attempt, response } = await transmit(message, target, network);
  if (!isSuccess(attempt)) return failureOf(attempt);
  const returned = valueOf(response?.body ?? "");
  const echo = isJsonObject(returned) ? returned["challenge"] : undefined;
  if (typeof echo !== "string") return "challenge_failed";
  return (await areEqual(echo, nonce)) ? null : "challenge_failed";
}

/** The kind of a failure, which reveals nothing of the receiver's response. */
export function failureOf(attempt: Attempt): CallbackFailure {
  const { status, error = "" } = attempt;
  if (status === null) {
    if (hasTimedOut(attempt)) return "timeout";
    return /certificate|\btls\b|\bssl\b/i.test(error) ? "tls_error" : "connection_refused";
  }
  if (status >= 500) return "http_5xx";
  return status >= 400 ? "http_4xx" : "challenge_failed";
}

/** Attempts of earlier releases are known by their duration. */
function hasTimedOut({ isTimeout, latencyMs }: Attempt): boolean {
  return isTimeout === true || latencyMs >= TIMEOUT_MS;
}

function headersFor(subscriptionId: string): Record<string, string> {
  return { "user-agent": "Wellspring-Webhooks/1", "x-mcp-subscription-id": subscriptionId };
}

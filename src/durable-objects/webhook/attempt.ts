import { BUDGET_HEADER, MAX_RUNS_PER_TRIGGER } from "#domain/chains.ts";
import { HOPS_HEADER } from "#domain/deliveries.ts";
import { errorMessage } from "#domain/errors.ts";
import { retryAfter } from "#domain/retries.ts";
import { shownHeaders } from "#domain/shown-headers.ts";
import { CONNECT_SIGNATURE_HEADER, connectSignature, sign } from "#domain/signature.ts";
import { abortAfter } from "#domain/timeout.ts";
import { type Network, networkFetch } from "#sandbox/egress/network.ts";

import type { Attempt, NewDelivery, ReceivedResponse } from "./contract.ts";

/** Timeout for a receiver's response. */
export const TIMEOUT_MS = 15_000;

/** Maximum bytes of the last response that are read and stored. */
const RESPONSE_BYTES = 8192;

/** Maximum characters of it that each attempt stores: a row has room for twenty. */
const EXCERPT_CHARACTERS = 1024;

const TOO_MANY_REQUESTS = 429;
const UNAVAILABLE = 503;

/** A delivery to send: `attempt` counts from 1. */
export type Outgoing = NewDelivery & { attempt: number };

/** A request to a receiver, before it is signed: its id is signed with it. */
export type Message = { id: string; body: string; headers: Record<string, string> };

/** The target, the signing secrets and the timeout. */
export type Target = {
  url: string;
  /** Newest first. */
  secrets: string[];
  timeoutMs: number;
  /** Whether the newest secret also signs as the Connect API does. */
  connectSignature?: boolean;
};

/** An attempt, and the time that the receiver requested for the next one, if any. */
export type DeliveryAttempt = {
  attempt: Attempt;
  response?: ReceivedResponse;
  retryAfterMs?: number;
};

/** Send a delivery once, unchanged. */
export function send(
  delivery: Outgoing,
  target: Target,
  network: Network,
): Promise<DeliveryAttempt> {
  return transmit(messageOf(delivery), target, network);
}

/** The message of a delivery with the event itself as its body. */
export function messageOf(delivery: Outgoing): Message {
  return { id: delivery.emitId, body: delivery.payload, headers: headersOf(delivery) };
}

/** Send a message once. Any failure is part of the result. */
export async function transmit(
  message: Message,
  target: Target,
  network: Network,
): Promise<DeliveryAttempt> {
  const atMs = Date.now();
  const { signal, clear } = abortAfter(target.timeoutMs);
  try {
    const request = await requestFor(message, target, { atMs, signal });
    const response = await networkFetch(request, network);
    const latencyMs = Date.now() - atMs;
    const { text, isTruncated } = await beginningOf(response, signal);
    return {
      attempt: {
        atMs,
        status: response.status,
        latencyMs,
        ...(isRedirect(response) && { error: "Redirects are not followed" }),
        ...(text !== "" && { response: excerptOf(text) }),
      },
      response: { headers: keptHeaders(response, isTruncated), body: text, isTruncated },
      ...retryWish(response, Date.now()),
    };
  } catch (error) {
    const failure = signal.aborted
      ? { isTimeout: true as const, error: `No response within ${target.timeoutMs / 1000} s` }
      : { error: errorMessage(error) };
    return { attempt: { atMs, status: null, latencyMs: Date.now() - atMs, ...failure } };
  } finally {
    clear();
  }
}

/** Whether the receiver has accepted the delivery. */
export function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The headers that describe a delivery. */
export function headersOf({
  emitterId,
  eventName,
  eventId,
  hops,
  budget,
  attempt,
}: Omit<Outgoing, "payload">): Record<string, string> {
  return {
    "content-type": "application/json",
    "user-agent": "Wellspring-Webhooks/1",
    "x-wellspring-emitter-id": emitterId,
    "x-wellspring-event-name": headerSafe(eventName),
    "x-wellspring-event-id": eventId,
    "x-wellspring-attempt": String(attempt),
    [HOPS_HEADER]: String(hops),
    [BUDGET_HEADER]: String(budget ?? MAX_RUNS_PER_TRIGGER),
  };
}

/** The headers of a message that is sent at a time, epoch seconds, without its signatures. */
export function sentHeaders({ id, headers }: Message, timestamp: number): Record<string, string> {
  return { ...headers, "webhook-id": id, "webhook-timestamp": String(timestamp) };
}

async function requestFor(
  message: Message,
  target: Target,
  { atMs, signal }: { atMs: number; signal: AbortSignal },
): Promise<Request> {
  const { id, body } = message;
  const { url, secrets } = target;
  const timestamp = Math.floor(atMs / 1000);
  const signatures = await Promise.all(
    secrets.map((secret) => sign(secret, { id, timestamp, body })),
  );
  return new Request(url, {
    method: "POST",
    redirect: "manual",
    signal,
    headers: {
      ...sentHeaders(message, timestamp),
      "webhook-signature": signatures.join(" "),
      ...(await connectHeaders(target, { timestamp, body })),
    },
    body,
  });
}

async function connectHeaders(
  { connectSignature: isWanted, secrets: [secret] }: Target,
  signed: { timestamp: number; body: string },
): Promise<Record<string, string>> {
  if (!isWanted || secret === undefined) return {};
  return { [CONNECT_SIGNATURE_HEADER]: await connectSignature(secret, signed) };
}

function excerptOf(text: string): string {
  return text.slice(0, EXCERPT_CHARACTERS).toWellFormed();
}

/** Read the beginning of a response and drop the rest. A slow body does not change the status. */
async function beginningOf(
  response: Response,
  signal: AbortSignal,
): Promise<{ text: string; isTruncated: boolean }> {
  const { body } = response;
  if (!body || isEmpty(response)) return { text: "", isTruncated: false };
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop);
  const decoder = new TextDecoder();
  let text = "";
  let room = RESPONSE_BYTES;
  try {
    while (room >= 0) {
      const { value } = await reader.read();
      if (!value) break;
      text += decoder.decode(value.subarray(0, Math.max(0, room)), { stream: true });
      room -= value.byteLength;
    }
  } catch {
    // The response was interrupted.
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
  return { text, isTruncated: room < 0 };
}

/** Whether its length is 0: most responses are empty, and a reader of each costs more time than to sign the request. */
function isEmpty({ headers }: Response): boolean {
  return headers.get("content-length") === "0";
}

/** The headers of a response to store. The length of a body that is stored whole repeats it. */
function keptHeaders({ headers }: Response, isTruncated: boolean): Record<string, string> {
  const kept = new Headers(headers);
  if (!isTruncated) kept.delete("content-length");
  return shownHeaders(kept);
}

function retryWish({ status, headers }: Response, nowMs: number): { retryAfterMs?: number } {
  if (status !== TOO_MANY_REQUESTS && status !== UNAVAILABLE) return {};
  const retryAfterMs = retryAfter(headers.get("retry-after"), nowMs);
  return retryAfterMs === undefined ? {} : { retryAfterMs };
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

/** Headers contain ASCII only; other names are percent-encoded. */
function headerSafe(name: string): string {
  return /^[\u0020-\u007E]*$/.test(name) ? name : encodeURIComponent(name.toWellFormed());
}

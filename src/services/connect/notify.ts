import * as store from "#db/connect/notifications.ts";
import { mapAtMost, MAX_CONNECTIONS } from "#domain/concurrency.ts";
import { newToken } from "#domain/ids.ts";
import { nextAttempt, retryAfter } from "#domain/retries.ts";
import { CONNECT_SIGNATURE_HEADER, connectSignature, sign } from "#domain/signature.ts";
import { abortAfter } from "#domain/timeout.ts";
import { guardedFetch } from "#sandbox/egress/guarded-fetch.ts";
import { log } from "#telemetry/log.ts";
import { keyIdOf } from "#vault/envelope.ts";

import type { AppContext } from "../context.ts";
import { sealedFor } from "./project-webhook.ts";

export type { Notification } from "#db/connect/notifications.ts";

const TIMEOUT_MS = 10_000;

/** The lease of a notification during an attempt: well beyond the time of an attempt. */
const LEASE_SECONDS = 60;

/** The last attempt is made about 31 hours after the first. */
const MAX_ATTEMPTS = 8;

/** Maximum notifications that one sweep sends, and its maximum time: the next one is a minute away. */
const SENT_A_SWEEP = 100;
const SWEEP_LASTS_MS = 20_000;

type Notifying = Pick<
  AppContext,
  "allowPrivateTargets" | "db" | "inBackground" | "now" | "requestId" | "vault"
>;

/** Create a notification as it is stored: sealed, and leased by the request that creates it, which sends it at once. */
export async function newNotification(
  { vault, now }: Pick<Notifying, "now" | "vault">,
  {
    event,
    ...about
  }: Pick<store.Notification, "environment" | "externalUserId" | "projectId" | "url"> & {
    event: object;
  },
): Promise<store.Notification> {
  const id = newToken();
  const body = await vault.seal(JSON.stringify(event), placeOfBody(id));
  const createdAt = now();
  const nextAttemptAt = createdAt + LEASE_SECONDS;
  return { id, ...about, body, keyId: keyIdOf(body), attempts: 0, nextAttemptAt, createdAt };
}

/** The seal's place of a notification's body. */
export function placeOfBody(id: string): string[] {
  return ["connect_notification", id];
}

/** Make the first attempt of notifications that were just stored, in the background. */
export function sendStored(
  ctx: Notifying,
  notifications: readonly store.Notification[],
  stored: readonly string[],
): void {
  for (const notification of notifications)
    if (stored.includes(notification.id)) ctx.inBackground(send(ctx, notification));
}

/** Send notifications that are due: those that a receiver refused, and those left by a crash. Returns their number. */
export async function sendDueNotifications(ctx: Notifying): Promise<number> {
  const endMs = Date.now() + SWEEP_LASTS_MS;
  const due = await store.dueNotifications(ctx.db, ctx.now(), SENT_A_SWEEP);
  const sent = await mapAtMost(MAX_CONNECTIONS, due, async (id) => {
    if (Date.now() > endMs) return false;
    const now = ctx.now();
    const lease = { now, until: now + LEASE_SECONDS };
    const leased = await store.leaseNotification(ctx.db, id, lease);
    if (leased) await send(ctx, leased);
    return leased !== undefined;
  });
  return sent.filter(Boolean).length;
}

/**
 * Make one attempt of a leased notification, and store its outcome. Never throws: without a stored outcome it is
 * retried.
 */
async function send(ctx: Notifying, notification: store.Notification): Promise<void> {
  try {
    const destination = await store.destinationOf(ctx.db, notification);
    const failure = destination && (await attempt(ctx, notification, destination));
    if (failure) await postpone(ctx, notification, failure);
    else await store.deleteNotification(ctx.db, notification.id);
  } catch (error) {
    const { requestId: request_id } = ctx;
    log("delivery_unsettled", { request_id, owner_id: notification.externalUserId, error });
  }
}

/** The reason why an attempt failed, and the receiver's delay for the next one. */
type AttemptFailure = { error: unknown; retryAfterMs?: number | undefined };

/** Send a notification once, signed for the time of this attempt. Undefined: its receiver accepted it. */
async function attempt(
  { allowPrivateTargets: allowPrivate, vault }: Notifying,
  notification: store.Notification,
  { url, signingKey }: store.Destination,
): Promise<AttemptFailure | undefined> {
  const { id, projectId: project, environment } = notification;
  const { signal, clear } = abortAfter(TIMEOUT_MS);
  try {
    const body = await vault.open(notification.body, placeOfBody(id));
    const key = signingKey && (await vault.open(signingKey, sealedFor({ project, environment })));
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      ...(key && (await signed(key, { id, body }))),
    };
    const request = new Request(url, { method: "POST", headers, body, redirect: "manual", signal });
    const response = await guardedFetch(request, { allowPrivate });
    await response.body?.cancel();
    if (response.ok) return undefined;
    const retryAfterMs = retryAfter(response.headers.get("retry-after"), Date.now());
    return { error: new Error(`The receiver responded with ${response.status}`), retryAfterMs };
  } catch (error) {
    return { error };
  } finally {
    clear();
  }
}

async function signed(
  key: string,
  { id, body }: { id: string; body: string },
): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await sign(key, { id, timestamp, body }),
    [CONNECT_SIGNATURE_HEADER]: await connectSignature(key, { timestamp, body }),
  };
}

/** Schedule the next attempt of a notification; after the last attempt it is dropped. */
async function postpone(
  ctx: Notifying,
  notification: store.Notification,
  { error, retryAfterMs = 0 }: AttemptFailure,
): Promise<void> {
  const { externalUserId: owner_id } = notification;
  const attempts = notification.attempts + 1;
  const plannedMs =
    attempts < MAX_ATTEMPTS ? nextAttempt(attempts, ctx.now() * 1000, Math.random()) : undefined;
  const nextAt =
    plannedMs === undefined ? null : Math.ceil(Math.max(plannedMs, retryAfterMs) / 1000);
  await store.recordFailure(ctx.db, notification, nextAt);
  const event = nextAt === null ? "connection_untold" : "notification_failed";
  log(event, { request_id: ctx.requestId, owner_id, attempt: attempts, error });
}

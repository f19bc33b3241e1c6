import { type Place, projectWebhook } from "#db/connect/project-webhooks.ts";
import { newToken } from "#domain/ids.ts";
import { CONNECT_SIGNATURE_HEADER, connectSignature, sign } from "#domain/signature.ts";
import { abortAfter } from "#domain/timeout.ts";
import { guardedFetch } from "#sandbox/egress/guarded-fetch.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import { sealedFor } from "./project-webhook.ts";

const TIMEOUT_MS = 10_000;

/** Waits before further attempts, while the request that led to the event is long over. */
const RETRY_WAITS_MS = [1000, 5000];

type Notifying = Pick<
  AppContext,
  "allowPrivateTargets" | "db" | "inBackground" | "requestId" | "vault"
>;

/** Notify a customer of an event at the webhook of an environment, if it has one. Keeps nobody waiting. */
export function notifyProject(ctx: Notifying, place: Place, event: object): void {
  const body = JSON.stringify(event);
  ctx.inBackground(
    loggingFailure(ctx, place.project, async () => {
      const webhook = await projectWebhook(ctx.db, place);
      if (!webhook) return;
      const key = await ctx.vault.open(webhook.signingKey, sealedFor(place));
      const id = newToken();
      await deliver(ctx, { url: webhook.url, body, headersOf: () => signed(key, { id, body }) });
    }),
  );
}

/** Notify a customer of an event at an address that came with a token. Keeps nobody waiting. */
export function notifyAddress(
  ctx: Notifying,
  { owner, url }: { owner: string; url: string },
  event: object,
): void {
  const body = JSON.stringify(event);
  ctx.inBackground(loggingFailure(ctx, owner, () => deliver(ctx, { url, body })));
}

async function loggingFailure(
  { requestId: request_id }: Pick<AppContext, "requestId">,
  owner_id: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log("connection_untold", { request_id, owner_id, error });
  }
}

type Message = { url: string; body: string; headersOf?: () => Promise<Record<string, string>> };

/** Each attempt has a signature of its own time. */
async function signed(
  key: string,
  { id, body }: { id: string; body: string },
): Promise<Record<string, string>> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    "webhook-id": id,
    "webhook-timestamp": String(timestamp),
    "webhook-signature": await sign(key, { id, timestamp, body }),
    [CONNECT_SIGNATURE_HEADER]: await connectSignature(key, { timestamp, body }),
  };
}

/** Send a message until its receiver takes it, three times at most. Throws why the last attempt failed. */
async function deliver(ctx: Notifying, message: Message): Promise<void> {
  for (const waitMs of RETRY_WAITS_MS) {
    try {
      return await attempt(ctx, message);
    } catch {
      await scheduler.wait(waitMs);
    }
  }
  await attempt(ctx, message);
}

async function attempt(
  { allowPrivateTargets: allowPrivate }: Notifying,
  { url, body, headersOf }: Message,
): Promise<void> {
  const { signal, clear } = abortAfter(TIMEOUT_MS);
  const headers = { "content-type": "application/json", ...(await headersOf?.()) };
  try {
    const request = new Request(url, { method: "POST", headers, body, redirect: "manual", signal });
    const response = await guardedFetch(request, { allowPrivate });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`The receiver answered ${response.status}`);
  } finally {
    clear();
  }
}

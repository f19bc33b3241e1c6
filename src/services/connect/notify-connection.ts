import { abortAfter } from "#domain/timeout.ts";
import { guardedFetch } from "#sandbox/egress/guarded-fetch.ts";
import { log } from "#telemetry/log.ts";

import type { Account } from "../accounts.ts";
import type { Link } from "./link.ts";

const TIMEOUT_MS = 10_000;

/** Waits before further attempts, while the request that connected the account is long over. */
const RETRY_WAITS_MS = [1000, 5000];

/** What became of an attempt to connect an account. */
export type Outcome = { ok: true; account: Account } | { ok: false; error: string };

/** Notify the customer of what became of an attempt to connect an account, at the address that came with the token. Keeps nobody waiting. */
export function notifyConnection(link: Link, outcome: Outcome): void {
  const { webhookUri } = link.bearer.token;
  if (webhookUri === null) return;
  link.user.inBackground(deliver(link, webhookUri, JSON.stringify(eventOf(link, outcome))));
}

/** The event, as Pipedream's webhooks have it. */
export function eventOf({ token, app, bearer }: Link, outcome: Outcome) {
  const { environment, externalId } = bearer.externalUser;
  const about = { connect_token: token, environment, user: { external_id: externalId } };
  if (!outcome.ok) return { event: "CONNECTION_ERROR", ...about, error: outcome.error };
  const { id, name, externalId: external_id, dead, error, createdAt, updatedAt } = outcome.account;
  const account = {
    id,
    name,
    external_id,
    healthy: error === null,
    dead,
    app: { name_slug: app.slug, name: app.name },
    created_at: new Date(createdAt * 1000).toISOString(),
    updated_at: new Date(updatedAt * 1000).toISOString(),
  };
  return { event: "CONNECTION_SUCCESS", ...about, account };
}

async function deliver({ user, bearer }: Link, url: string, body: string): Promise<void> {
  let failure = await attempt(url, body, user.allowPrivateTargets);
  for (const waitMs of RETRY_WAITS_MS) {
    if (failure === undefined) return;
    await scheduler.wait(waitMs);
    failure = await attempt(url, body, user.allowPrivateTargets);
  }
  if (failure === undefined) return;
  const { requestId: request_id } = user;
  log("connection_untold", { request_id, owner_id: bearer.externalUser.id, error: failure });
}

/** Undefined: the receiver took it; else why not. */
async function attempt(url: string, body: string, allowPrivate: boolean): Promise<unknown> {
  const { signal, clear } = abortAfter(TIMEOUT_MS);
  const headers = { "content-type": "application/json" };
  try {
    const request = new Request(url, { method: "POST", headers, body, redirect: "manual", signal });
    const response = await guardedFetch(request, { allowPrivate });
    await response.body?.cancel();
    return response.ok ? undefined : new Error(`The receiver answered ${response.status}`);
  } catch (error) {
    return error;
  } finally {
    clear();
  }
}

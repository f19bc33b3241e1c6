import { insertRefusal } from "#db/connect/connected-accounts.ts";
import { waitingNotifications } from "#db/connect/notifications.ts";
import { log } from "#telemetry/log.ts";

import type { Account } from "../accounts.ts";
import type { Link } from "./link.ts";
import { newNotification, type Notification, sendStored } from "./notify.ts";

/** The outcome of an attempt to connect an account. */
type Outcome = { ok: true; account: Omit<Account, "seq"> } | { ok: false; error: string };

/**
 * Maximum waiting notifications about one user: beyond it, failed attempts are not reported, as users can fail at will.
 */
const MAX_WAITING = 100;

/**
 * The notifications of the outcome of an attempt to connect an account: for the webhook of the environment, and for the
 * address of the token. They must be stored with the outcome.
 */
export async function notificationsOf(link: Link, outcome: Outcome): Promise<Notification[]> {
  const { user, bearer } = link;
  const { id: externalUserId, projectId, environment } = bearer.externalUser;
  const about = { externalUserId, projectId, environment, event: eventOf(link, outcome) };
  const { webhookUri } = bearer.token;
  const urls = webhookUri === null ? [null] : [null, webhookUri];
  return Promise.all(urls.map((url) => newNotification(user, { ...about, url })));
}

/** Notify the customer of a failed attempt. The notifications are stored once this resolves. */
export async function notifyRefusal(link: Link, error: string): Promise<void> {
  const { user, bearer, hash } = link;
  const { id } = bearer.externalUser;
  if ((await waitingNotifications(user.db, id)) >= MAX_WAITING) {
    log("connection_untold", { request_id: user.requestId, owner_id: id });
    return;
  }
  const notifications = await notificationsOf(link, { ok: false, error });
  sendStored(user, notifications, await insertRefusal(user.db, hash, notifications));
}

/** The event, as Pipedream's webhooks have it. */
function eventOf({ token, app, bearer }: Link, outcome: Outcome) {
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

import type { Account } from "../accounts.ts";
import type { Link } from "./link.ts";
import { notifyAddress, notifyProject } from "./notify.ts";

/** What became of an attempt to connect an account. */
export type Outcome = { ok: true; account: Account } | { ok: false; error: string };

/**
 * Notify the customer of what became of an attempt to connect an account: at the webhook of the environment, and at the
 * address that came with the token. Keeps nobody waiting.
 */
export function notifyConnection(link: Link, outcome: Outcome): void {
  const { bearer, user } = link;
  const event = eventOf(link, outcome);
  const { environment, id: owner } = bearer.externalUser;
  notifyProject(user, { project: bearer.project.id, environment }, event);
  const { webhookUri: url } = bearer.token;
  if (url !== null) notifyAddress(user, { owner, url }, event);
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

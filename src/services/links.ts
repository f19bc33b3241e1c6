import { type LinkedResource, linksFrom, linksTo } from "#db/links.ts";
import type { LinkedId } from "#db/resources.ts";
import { ALERT_CHANNEL } from "#domain/channels.ts";
import { notFound } from "#domain/errors.ts";
import { isId } from "#domain/ids.ts";
import { matches } from "#domain/routes.ts";

import type { Context } from "./context.ts";

export type { LinkedResource } from "#db/links.ts";
export type { LinkedId } from "#db/resources.ts";

/** The listeners of a resource: by a subscription to it, to all of its kind or to all of its owner. */
export async function listListeners(
  ctx: Pick<Context, "actor" | "db">,
  id: LinkedId,
): Promise<LinkedResource[]> {
  const found = await linksFrom(ctx.db, { user: ctx.actor.id, id });
  if (!found) throw notFound(kindOf(id), id);
  const { ownerId, links } = found;
  return links.filter((link) => matches(link, { id, ownerId }) && canEmit(id, link.channel));
}

/** The emitters whose events a resource receives. */
export async function listEmitters(
  ctx: Pick<Context, "actor" | "db">,
  id: LinkedId,
): Promise<LinkedResource[]> {
  const found = await linksTo(ctx.db, { user: ctx.actor.id, id });
  if (!found) throw notFound(kindOf(id), id);
  return found.links;
}

/** The kinds of resources that an id can name. */
export function kindOf(id: LinkedId): "source" | "workflow" | "webhook" {
  if (isId("source", id)) return "source";
  return isId("workflow", id) ? "workflow" : "webhook";
}

/** A webhook emits alerts alone. */
function canEmit(id: LinkedId, channel: string): boolean {
  return !isId("webhook", id) || channel === ALERT_CHANNEL;
}

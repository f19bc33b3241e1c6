import { and, count, eq, exists } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { ROUTE_KEY } from "./listeners.ts";
import { countOf, filterOf, newestFirst, pageBounds } from "./page.ts";
import { noteRemoval } from "./removals.ts";
import type { RoutesChange } from "./routes-change.ts";
import { agentSubscriptions } from "./schema/agents.ts";
import { removals } from "./schema/maintenance.ts";
import { autoSubscriptions, subscriptions, webhooks } from "./schema/tables.ts";
import { membershipQuery } from "./workspaces.ts";

export type Webhook = typeof webhooks.$inferSelect;
/** Changes to a webhook; undefined fields stay unchanged. */
export type WebhookChange = {
  [K in "url" | "name" | "description" | "active"]?: Webhook[K] | undefined;
};

export async function insertWebhook(db: Database, webhook: Omit<Webhook, "seq">): Promise<Webhook> {
  const [inserted] = await db.insert(webhooks).values(webhook).returning();
  if (!inserted) throw new Error(`The row of ${webhook.id} was not written`);
  return inserted;
}

/** A webhook that the user may see; without a user, any. */
export async function webhookById(
  db: Database,
  user: ActorId | undefined,
  id: Id<"webhook">,
): Promise<Webhook | undefined> {
  const [webhook] = await db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.id, id), user && isAccessible(db, webhooks.ownerId, user)));
  return webhook;
}

export async function pageOfWebhooks(
  db: Database,
  owner: ActorId,
  request: FilteredRequest,
): Promise<Page<Webhook>> {
  const [items, [total]] = await db.batch(pageQueries(db, owner, request));
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** A page of a workspace's webhooks, or undefined if the user does not belong to the workspace. */
export async function pageOfWorkspaceWebhooks(
  db: Database,
  { user, workspace }: { user: ActorId; workspace: Id<"workspace"> },
  request: FilteredRequest,
): Promise<Page<Webhook> | undefined> {
  const [membership, items, [total]] = await db.batch([
    membershipQuery(db, workspace, user),
    ...pageQueries(db, workspace, request),
  ]);
  if (membership.length === 0) return undefined;
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

function pageQueries(db: Database, owner: OwnerId, request: FilteredRequest) {
  const filter = filterOf(webhooks, [webhooks.name, webhooks.url, webhooks.id], request);
  const wanted = and(eq(webhooks.ownerId, owner), filter);
  const { within, order } = pageBounds(webhooks.seq, request);
  return [
    db.select().from(webhooks).where(and(wanted, within)).orderBy(order).limit(request.limit),
    filter
      ? db.select({ count: count() }).from(webhooks).where(wanted)
      : countOf(db, owner, "webhook"),
  ] as const;
}

/** Change a webhook that the user may see; undefined if there is none. */
export async function updateWebhook(
  db: Database,
  user: ActorId,
  { id, at, change }: { id: Id<"webhook">; at: number; change: WebhookChange },
): Promise<Webhook | undefined> {
  const [updated] = await db
    .update(webhooks)
    .set({ ...change, ...(change.active && { inactiveReason: null }), updatedAt: at })
    .where(and(eq(webhooks.id, id), isAccessible(db, webhooks.ownerId, user)))
    .returning();
  return updated;
}

/**
 * Update the directory's status of a webhook: whether it is active, and the reason if it was deactivated. Returns its
 * owner; undefined: there is no such webhook.
 */
export async function recordWebhookActivity(
  db: Database,
  id: Id<"webhook">,
  { active, reason }: { active: boolean; reason: string | null },
): Promise<OwnerId | undefined> {
  const [webhook] = await db
    .update(webhooks)
    .set({ active, inactiveReason: reason })
    .where(eq(webhooks.id, id))
    .returning({ ownerId: webhooks.ownerId });
  return webhook?.ownerId;
}

/** Delete a webhook and its subscriptions. Returns whether it existed. */
export async function deleteWebhook(
  change: RoutesChange,
  user: ActorId,
  { id, at }: { id: Id<"webhook">; at: number },
): Promise<boolean> {
  const { db } = change;
  const isTheirs = and(eq(webhooks.id, id), isAccessible(db, webhooks.ownerId, user));
  const isRemoved = exists(db.select().from(removals).where(eq(removals.id, id)));
  const [, deleted, links] = await db.batch([
    noteRemoval(db, webhooks, isTheirs, at),
    db.delete(webhooks).where(isTheirs).returning({ id: webhooks.id }),
    db
      .delete(subscriptions)
      .where(and(eq(subscriptions.listenerId, id), isRemoved))
      .returning(ROUTE_KEY),
    db.delete(autoSubscriptions).where(and(eq(autoSubscriptions.listenerId, id), isRemoved)),
    db.delete(agentSubscriptions).where(and(eq(agentSubscriptions.webhookId, id), isRemoved)),
  ]);
  change.note(links);
  return deleted.length > 0;
}

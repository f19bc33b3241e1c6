import { and, count, eq, gt, lte, ne, type SQL, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { ROUTE_KEY } from "./listeners.ts";
import { newestFirst, pageBounds } from "./page.ts";
import type { RoutesChange } from "./routes-change.ts";
import { agentGrants, agentSources, agentSubscriptions } from "./schema/agents.ts";
import { subscriptions, webhooks } from "./schema/tables.ts";

export type AgentSubscription = typeof agentSubscriptions.$inferSelect;

/** A new subscription with its webhook, and the link by which the webhook listens. */
export type NewAgentSubscription = {
  subscription: Omit<AgentSubscription, "seq">;
  /** Whether its source is one that agents share: then it has to be shared still. */
  isShared: boolean;
  webhook: Omit<typeof webhooks.$inferSelect, "seq">;
  link: Omit<typeof subscriptions.$inferSelect, "seq">;
};

/** All rows or none: throws if there is a subscription of this id, or if its source was ended. */
export async function insertAgentSubscription(
  change: RoutesChange,
  { subscription, isShared, webhook, link }: NewAgentSubscription,
): Promise<void> {
  const { db } = change;
  // Null, which the column rejects, if its source was ended.
  const shared = sql`(SELECT ${agentSources.sourceId} FROM ${agentSources}
    WHERE ${agentSources.sourceId} = ${subscription.sourceId} AND ${agentSources.key} IS NOT NULL)`;
  const [, , links] = await db.batch([
    db
      .insert(agentSubscriptions)
      .values(isShared ? { ...subscription, sourceId: shared } : subscription),
    db.insert(webhooks).values(webhook),
    db.insert(subscriptions).values(link).returning(ROUTE_KEY),
  ]);
  change.note(links);
}

export async function agentSubscriptionById(
  db: Database,
  id: Id<"agent_subscription">,
): Promise<AgentSubscription | undefined> {
  const [found] = await db.select().from(agentSubscriptions).where(eq(agentSubscriptions.id, id));
  return found;
}

/** The subscription that a webhook serves. */
export async function agentSubscriptionOf(
  db: Database,
  webhook: Id<"webhook">,
): Promise<AgentSubscription | undefined> {
  const [found] = await db
    .select()
    .from(agentSubscriptions)
    .where(eq(agentSubscriptions.webhookId, webhook));
  return found;
}

/** The columns that a refresh changes. */
export type Refresh = Pick<
  AgentSubscription,
  "expiresAt" | "grantId" | "replacedHashes" | "secretHash" | "updatedAt"
>;

/** Refresh a subscription that has not expired and is still routed. Undefined: there is none. */
export async function refreshAgentSubscription(
  db: Database,
  { id, webhookId }: Pick<AgentSubscription, "id" | "webhookId">,
  refresh: Refresh,
): Promise<AgentSubscription | undefined> {
  const [refreshed] = await db
    .update(agentSubscriptions)
    .set(refresh)
    .where(
      and(
        eq(agentSubscriptions.id, id),
        eq(agentSubscriptions.webhookId, webhookId),
        gt(agentSubscriptions.expiresAt, refresh.updatedAt),
        IS_LISTENING,
      ),
    )
    .returning();
  return refreshed;
}

/** The numbers of an owner's and of a whole project's subscriptions; expired ones count until they are deleted. */
export async function countAgentSubscriptions(
  db: Database,
  owner: OwnerId,
  project: Id<"project"> | undefined,
): Promise<{ owner: number; project: number }> {
  const counted = (which: SQL) =>
    db.select({ count: count() }).from(agentSubscriptions).where(which);
  const [ofOwner, ofProject] = await db.batch([
    counted(eq(agentSubscriptions.ownerId, owner)),
    counted(eq(agentSubscriptions.projectId, project ?? "proj_")),
  ]);
  return { owner: ofOwner[0]?.count ?? 0, project: ofProject[0]?.count ?? 0 };
}

/** Whether a secret, by its hash, is that of another agent. */
export async function isSecretOfOther(
  db: Database,
  secretHash: string,
  principal: string,
): Promise<boolean> {
  const [other] = await db
    .select({ id: agentSubscriptions.id })
    .from(agentSubscriptions)
    .where(
      and(
        eq(agentSubscriptions.secretHash, secretHash),
        ne(agentSubscriptions.principal, principal),
      ),
    )
    .limit(1);
  return other !== undefined;
}

/** The subscriptions that a grant allows. */
export function agentSubscriptionsOf(
  db: Database,
  grant: Id<"agent_grant">,
): Promise<AgentSubscription[]> {
  return db.select().from(agentSubscriptions).where(eq(agentSubscriptions.grantId, grant));
}

/** Some of the expired subscriptions. */
export function expiredAgentSubscriptions(
  db: Database,
  now: number,
  limit: number,
): Promise<AgentSubscription[]> {
  return db
    .select()
    .from(agentSubscriptions)
    .where(lte(agentSubscriptions.expiresAt, now))
    .limit(limit);
}

/** A subscription that no longer delivers events: its grant was revoked, or its link was deleted. */
export type Stranded = { subscription: AgentSubscription; isRevoked: boolean };

/**
 * The stranded subscriptions of a stretch, in order of creation; `last`: the end of the stretch, unless it ends the
 * table.
 */
export async function strandedAgentSubscriptions(
  db: Database,
  { after, length }: { after: number; length: number },
): Promise<{ stranded: Stranded[]; last: number | null }> {
  const isRevoked = sql`(${agentSubscriptions.grantId} IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM ${agentGrants} WHERE ${agentGrants.id} = ${agentSubscriptions.grantId}))`;
  const rows = await db
    .select({
      subscription: agentSubscriptions,
      isListening: sql<number>`${IS_LISTENING}`,
      isRevoked: sql<number>`${isRevoked}`,
    })
    .from(agentSubscriptions)
    .where(gt(agentSubscriptions.seq, after))
    .orderBy(agentSubscriptions.seq)
    .limit(length);
  const stranded = rows
    .map((row) => ({ ...row, isRevoked: row.isRevoked === 1 }))
    .filter(({ isListening, isRevoked: isEnded }) => isListening === 0 || isEnded);
  const last = rows.length < length ? undefined : rows.at(-1);
  return { stranded, last: last?.subscription.seq ?? null };
}

/** A link is deleted with its source, and with the membership that allowed it. */
const IS_LISTENING = sql`EXISTS (SELECT 1 FROM ${subscriptions}
  WHERE ${subscriptions.listenerId} = ${agentSubscriptions.webhookId})`;

/** The owner and project of the listed subscriptions; undefined: any. */
export type SubscriptionFilter = {
  owner?: OwnerId | undefined;
  project?: Id<"project"> | undefined;
};

export async function pageOfAgentSubscriptions(
  db: Database,
  { owner, project }: SubscriptionFilter,
  request: PageRequest,
): Promise<Page<AgentSubscription>> {
  const wanted = and(
    owner && eq(agentSubscriptions.ownerId, owner),
    project && eq(agentSubscriptions.projectId, project),
  );
  const { within, order } = pageBounds(agentSubscriptions.seq, request);
  const [items, [total]] = await db.batch([
    db
      .select()
      .from(agentSubscriptions)
      .where(and(wanted, within))
      .orderBy(order)
      .limit(request.limit),
    db.select({ count: count() }).from(agentSubscriptions).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

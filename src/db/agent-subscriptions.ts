import {
  and,
  count,
  eq,
  getTableColumns,
  gt,
  inArray,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAuthorized, valuesOf } from "./agent-authority.ts";
import { hasRoom } from "./agent-quotas.ts";
import type { Database } from "./client.ts";
import { ROUTE_KEY } from "./listeners.ts";
import { newestFirst, pageBounds } from "./page.ts";
import type { RoutesChange } from "./routes-change.ts";
import { agentSources, agentSubscriptions } from "./schema/agents.ts";
import { projects } from "./schema/connect.ts";
import { memberships, subscriptions, webhooks } from "./schema/tables.ts";

export type AgentSubscription = typeof agentSubscriptions.$inferSelect;

/** A new subscription with its webhook, and the link by which the webhook listens. */
export type NewAgentSubscription = {
  subscription: Omit<AgentSubscription, "seq">;
  /** Whether its source is one that agents share: then it has to be shared still. */
  isShared: boolean;
  webhook: Omit<typeof webhooks.$inferSelect, "seq">;
  link: Omit<typeof subscriptions.$inferSelect, "seq">;
};

/**
 * All rows or none: throws if there is a subscription of this id, if its source was ended, if its agent may no longer
 * act for its owner, or if a quota is used up (`isOverQuota` of the error).
 */
export async function insertAgentSubscription(
  change: RoutesChange,
  { subscription, isShared, webhook, link }: NewAgentSubscription,
): Promise<void> {
  const { db } = change;
  // Null, which the columns reject, if its source was ended, its credentials were revoked, or a quota was used up meanwhile.
  const shared = sql`(SELECT ${agentSources.sourceId} FROM ${agentSources}
    WHERE ${agentSources.sourceId} = ${subscription.sourceId} AND ${agentSources.key} IS NOT NULL)`;
  const ownerId = sql`iif(${isAuthorized(valuesOf(subscription))}, ${subscription.ownerId}, NULL)`;
  const { userId } = subscription;
  const held = { ownerId: sql`${subscription.ownerId}`, projectId: sql`${subscription.projectId}` };
  const within = sql`iif(${hasRoom(held)}, ${userId}, NULL)`;
  const [, , links] = await db.batch([
    db
      .insert(agentSubscriptions)
      .values({ ...subscription, ownerId, userId: within, ...(isShared && { sourceId: shared }) }),
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
  | "authorizedBy"
  | "credential"
  | "expiresAt"
  | "grantId"
  | "replacedHashes"
  | "secretHash"
  | "updatedAt"
>;

/**
 * Refresh a subscription that has not expired and is still routed, for an agent that may act for its owner. Undefined:
 * there is none.
 */
export async function refreshAgentSubscription(
  db: Database,
  { id, ownerId, webhookId }: Pick<AgentSubscription, "id" | "ownerId" | "webhookId">,
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
        isAuthorized(valuesOf({ ...refresh, ownerId })),
      ),
    )
    .returning();
  return refreshed;
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

/**
 * A revocation of access: of a grant, of a key or token (`credential`), of an owner or a project that was deleted, or of
 * a user who was deleted or left a workspace.
 */
export type Revocation = {
  of: "credential" | "grantId" | "ownerId" | "projectId" | "user";
  id: string;
};

/** The affected subscriptions whose agents may no longer act for their owners. */
export function unauthorizedSubscriptions(
  db: Database,
  revocation: Revocation,
): Promise<AgentSubscription[]> {
  return db
    .select()
    .from(agentSubscriptions)
    .where(and(isAffected(db, revocation), not(isAuthorized(agentSubscriptions))));
}

function isAffected(db: Database, { of, id }: Revocation): SQL | undefined {
  if (of !== "user") return eq(agentSubscriptions[of], sql`${id}`);
  const user = sql<Id<"user">>`${id}`;
  const workspaces = db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(eq(memberships.userId, user));
  const theirs = db
    .select({ id: projects.id })
    .from(projects)
    .where(or(eq(projects.ownerId, user), inArray(projects.ownerId, workspaces)));
  return or(
    eq(agentSubscriptions.authorizedBy, user),
    eq(agentSubscriptions.ownerId, user),
    inArray(agentSubscriptions.projectId, theirs),
  );
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

/** A subscription that no longer delivers events: its agent lost its access, or its link was deleted. */
export type Stranded = { subscription: AgentSubscription; isRevoked: boolean };

/**
 * The stranded subscriptions of a stretch, in order of creation; `last`: the end of the stretch, unless it ends the
 * table.
 */
export async function strandedAgentSubscriptions(
  db: Database,
  { after, length }: { after: number; length: number },
): Promise<{ stranded: Stranded[]; last: number | null }> {
  const rows = await db
    .select({
      subscription: agentSubscriptions,
      isListening: sql<number>`${IS_LISTENING}`,
      isRevoked: sql<number>`NOT ${isAuthorized(agentSubscriptions)}`,
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

/** A subscription, and whether its webhook sends events: not after a 410, or after too many failures. */
export type ListedSubscription = AgentSubscription & { active: boolean };

export async function pageOfAgentSubscriptions(
  db: Database,
  { owner, project }: SubscriptionFilter,
  request: PageRequest,
): Promise<Page<ListedSubscription>> {
  const wanted = and(
    owner && eq(agentSubscriptions.ownerId, owner),
    project && eq(agentSubscriptions.projectId, project),
  );
  const { within, order } = pageBounds(agentSubscriptions.seq, request);
  const [items, [total]] = await db.batch([
    db
      .select({
        ...getTableColumns(agentSubscriptions),
        active: sql`coalesce(${webhooks.active}, 0)`.mapWith(Boolean).as("active"),
      })
      .from(agentSubscriptions)
      .leftJoin(webhooks, eq(webhooks.id, agentSubscriptions.webhookId))
      .where(and(wanted, within))
      .orderBy(order)
      .limit(request.limit),
    db.select({ count: count() }).from(agentSubscriptions).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

import { and, count, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";

import { type AgentQuotas, DEFAULT_LIMITS } from "#domain/agent-quotas.ts";
import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import type { Place } from "./connect/external-users.ts";
import { agentSubscriptions } from "./schema/agents.ts";
import { externalUsers, projects } from "./schema/connect.ts";

/** Whether the quotas of an owner and of its project, if it has one, allow another subscription. */
export function hasRoom({ ownerId, projectId }: Record<"ownerId" | "projectId", SQLWrapper>): SQL {
  const { owner, project } = DEFAULT_LIMITS;
  return sql`(
    (SELECT count(*) FROM ${agentSubscriptions} AS held WHERE held.owner_id = ${ownerId})
      < coalesce((SELECT agent_subscriptions_quota FROM ${externalUsers} AS holder
        WHERE holder.id = ${ownerId}), ${owner.subscriptions})
    AND (SELECT count(*) FROM ${agentSubscriptions} AS held WHERE held.project_id = ${projectId})
      < coalesce((SELECT agent_subscriptions_quota FROM ${projects} AS holder
        WHERE holder.id = ${projectId}), ${project.subscriptions}))`;
}

/** Whether the insertion of a subscription failed because a quota was used up. */
export function isOverQuota(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const reason = `NOT NULL constraint failed: agent_subscriptions.user_id`;
  return error.message.includes(reason) || isOverQuota(error.cause);
}

/** The number of subscriptions, and the expiry of the one that expires first; null: there is none. */
export type HeldSubscriptions = { count: number; firstExpiry: number | null };

/** The subscriptions of an owner, and of a whole project; expired ones count until they are deleted. */
export async function countAgentSubscriptions(
  db: Database,
  owner: OwnerId | undefined,
  project: Id<"project"> | undefined,
): Promise<{ owner: HeldSubscriptions; project: HeldSubscriptions }> {
  const counted = (which: SQL) =>
    db
      .select({
        count: count(),
        firstExpiry: sql<number | null>`min(${agentSubscriptions.expiresAt})`,
      })
      .from(agentSubscriptions)
      .where(which);
  const [[ofOwner = NONE_HELD], [ofProject = NONE_HELD]] = await db.batch([
    counted(eq(agentSubscriptions.ownerId, owner ?? "exu_")),
    counted(eq(agentSubscriptions.projectId, project ?? "proj_")),
  ]);
  return { owner: ofOwner, project: ofProject };
}

const NONE_HELD: HeldSubscriptions = { count: 0, firstExpiry: null };

/** The quotas of a project; undefined if there is no such project. */
export async function agentQuotasOfProject(
  db: Database,
  id: Id<"project">,
): Promise<AgentQuotas | undefined> {
  const [quotas] = await db
    .select(quotaColumns(projects))
    .from(projects)
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)));
  return quotas;
}

/** Change some quotas of a project. Returns all of them, or undefined if there is no such project. */
export async function updateAgentQuotasOfProject(
  db: Database,
  { id, at }: { id: Id<"project">; at: number },
  change: Partial<AgentQuotas>,
): Promise<AgentQuotas | undefined> {
  const [quotas] = await db
    .update(projects)
    .set({ ...change, updatedAt: at })
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .returning(quotaColumns(projects));
  return quotas;
}

/** Change some quotas of an external user. Returns the user's row, or undefined if there is no such user. */
export async function updateAgentQuotasOfUser(
  db: Database,
  { project, environment, externalId, at }: Place & { externalId: string; at: number },
  change: Partial<AgentQuotas>,
): Promise<typeof externalUsers.$inferSelect | undefined> {
  const [user] = await db
    .update(externalUsers)
    .set({ ...change, updatedAt: at })
    .where(
      and(
        eq(externalUsers.projectId, project),
        eq(externalUsers.environment, environment),
        eq(externalUsers.externalId, externalId),
        isNull(externalUsers.deletedAt),
      ),
    )
    .returning();
  return user;
}

function quotaColumns({
  subscriptionsQuota,
  pollsQuota,
  runsQuota,
}: typeof externalUsers | typeof projects) {
  return { subscriptionsQuota, pollsQuota, runsQuota };
}

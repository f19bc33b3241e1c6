import { and, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";

import type { DayUsage, Used } from "#domain/billing.ts";
import { type ActorId, type Id, isId, type OwnerId, type PayerId } from "#domain/ids.ts";
import type { QuotaState } from "#domain/quotas.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { addedHours } from "./hours.ts";
import { payerOf, type Terms, termsQuery } from "./owners.ts";
import { externalUsers } from "./schema/connect.ts";
import { memberships, ownerUsage, workspaces } from "./schema/tables.ts";
import type { Workspace } from "./workspaces.ts";

export type WorkspaceUsage = Workspace & { usedToday: Used };

/** The sums for adding usage to an existing row of an owner's day. */
export const ADDED_TO_OWNER = {
  target: [ownerUsage.ownerId, ownerUsage.day],
  set: {
    invocations: sql`${ownerUsage.invocations} + excluded.invocations`,
    computeMs: sql`${ownerUsage.computeMs} + excluded.compute_ms`,
    credits: sql`${ownerUsage.credits} + excluded.credits`,
    hours: addedHours(),
  },
};

/** Add an owner's usage outside of emitters. Unlike a report, a repeated call counts again. */
export async function addOwnerUsage(db: Database, ownerId: OwnerId, used: DayUsage): Promise<void> {
  const { day, invocations, computeMs, credits } = used;
  await db
    .insert(ownerUsage)
    .select(
      sql`SELECT charged.id, ${day}, ${invocations}, ${computeMs}, ${credits}, NULL
        FROM (${chargedOwners(ownerId)}) AS charged WHERE true`,
    )
    .onConflictDoUpdate(ADDED_TO_OWNER);
}

/** The owners to charge: the payer, and the project of an external user. */
function chargedOwners(owner: OwnerId): SQL {
  const payer = sql`SELECT ${payerOf(owner)} AS id`;
  if (!isId("external_user", owner)) return payer;
  return sql`${payer} UNION ALL
    SELECT ${externalUsers.projectId} FROM ${externalUsers} WHERE ${externalUsers.id} = ${owner}`;
}

/**
 * Usage of one owner, one project, or a user with all of the user's workspaces, by day from one to another, both
 * included.
 */
export function usageByDay(
  db: Database,
  whose: { owner: PayerId | Id<"project"> } | { user: ActorId },
  { first, last }: { first: string; last: string },
): Promise<DayUsage[]> {
  const { ownerId, day } = ownerUsage;
  const isTheirs =
    "user" in whose ? isAccessible(db, ownerId, whose.user) : eq(ownerId, whose.owner);
  return db
    .select({ day, ...totals })
    .from(ownerUsage)
    .where(and(isTheirs, gte(day, first), lte(day, last)))
    .groupBy(day)
    .orderBy(day);
}

/** The terms of an owner and its payer's usage of a day, in one round trip; undefined: there is no such owner. */
export async function quotaStateOf(
  db: Database,
  ownerId: OwnerId,
  day: string,
): Promise<(Pick<Terms, "payerId" | "plan"> & QuotaState) | undefined> {
  const [[terms], [used]] = await db.batch([termsQuery(db, ownerId), usedOn(db, ownerId, day)]);
  if (!terms) return undefined;
  return { payerId: terms.payerId, plan: terms.plan, quotas: terms, used: used ?? NOTHING };
}

/** Usage of a user and of the user's workspaces, today and since the first day of the period. */
export async function usageOfUser(
  db: Database,
  user: ActorId,
  { today, periodStart }: { today: string; periodStart: string },
): Promise<{ today: Used; period: Used; workspaces: WorkspaceUsage[] }> {
  const since = (day: string) =>
    db
      .select(totals)
      .from(ownerUsage)
      .where(and(eq(ownerUsage.ownerId, user), gte(ownerUsage.day, day)));
  const [[todays], [periods], orgs] = await db.batch([
    since(today),
    since(periodStart),
    workspaceQuery(db, user, today).orderBy(workspaces.createdAt, workspaces.id),
  ]);
  return { today: todays ?? NOTHING, period: periods ?? NOTHING, workspaces: orgs.map(spread) };
}

/** The workspaces that the user belongs to, with their usage of today. */
export async function workspacesOf(
  db: Database,
  user: ActorId,
  today: string,
): Promise<WorkspaceUsage[]> {
  const found = await workspaceQuery(db, user, today).orderBy(workspaces.createdAt, workspaces.id);
  return found.map(spread);
}

/** A workspace that the user belongs to, with its usage of today. */
export async function usageOfWorkspace(
  db: Database,
  user: ActorId,
  { id, today }: { id: Id<"workspace">; today: string },
): Promise<WorkspaceUsage | undefined> {
  const [found] = await workspaceQuery(db, user, today, id);
  return found && spread(found);
}

/** For a batch: usage of the payer of an owner on a day. */
export function usedOn(db: Database, ownerId: OwnerId, day: string) {
  return db
    .select(totals)
    .from(ownerUsage)
    .where(and(eq(ownerUsage.ownerId, payerOf(ownerId)), eq(ownerUsage.day, day)));
}

export const NOTHING: Used = { invocations: 0, computeMs: 0, credits: 0 };

const totals = {
  invocations: sql<number>`coalesce(sum(${ownerUsage.invocations}), 0)`,
  computeMs: sql<number>`coalesce(sum(${ownerUsage.computeMs}), 0)`,
  credits: sql<number>`coalesce(sum(${ownerUsage.credits}), 0)`,
};

function workspaceQuery(db: Database, user: ActorId, today: string, id?: Id<"workspace">) {
  return db
    .select({ workspace: getTableColumns(workspaces), ...totals })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .leftJoin(ownerUsage, and(eq(ownerUsage.ownerId, workspaces.id), eq(ownerUsage.day, today)))
    .where(and(eq(memberships.userId, sql`${user}`), id && eq(workspaces.id, id)))
    .groupBy(workspaces.id);
}

function spread({ workspace, ...usedToday }: { workspace: Workspace } & Used): WorkspaceUsage {
  return { ...workspace, usedToday };
}

import { and, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";

import type { DayUsage, Used, UsageReport } from "#domain/billing.ts";
import { type ActorId, type Id, isId, type OwnerId, type PayerId } from "#domain/ids.ts";
import type { Quotas } from "#domain/quotas.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { addedHours, newHours, RAISED_HOURS, reportedTotal } from "./hours.ts";
import { payerOf, type Terms, termsQuery } from "./owners.ts";
import { externalUsers } from "./schema/connect.ts";
import { memberships, ownerUsage, usage, workspaces } from "./schema/tables.ts";
import type { Workspace } from "./workspaces.ts";

export type WorkspaceUsage = Workspace & { usedToday: Used };

/** How usage is added to the day of an owner that has one. */
const ADDED_TO_OWNER = {
  target: [ownerUsage.ownerId, ownerUsage.day],
  set: {
    invocations: sql`${ownerUsage.invocations} + excluded.invocations`,
    computeMs: sql`${ownerUsage.computeMs} + excluded.compute_ms`,
    credits: sql`${ownerUsage.credits} + excluded.credits`,
    hours: addedHours(),
  },
};

/**
 * Add an emitter's usage totals in one round trip. Totals that are no higher than the stored ones change
 * nothing. Returns the owner's usage of today, and the owner's quotas.
 */
export async function recordUsage(
  db: Database,
  report: UsageReport,
  today: string,
): Promise<{ used: Used; quotas: Quotas }> {
  const [, , [used], [quotas]] = await db.batch([
    raiseOwner(db, report),
    raiseEmitter(db, report),
    usedOn(db, report.ownerId, today),
    termsQuery(db, report.ownerId),
  ]);
  return { used: used ?? NOTHING, quotas: quotas ?? NO_QUOTAS };
}

/** Add the difference to the emitter's stored totals to the owner's days. It runs before those are updated. */
function raiseOwner(db: Database, { ownerId, emitterId, days }: UsageReport) {
  return db
    .insert(ownerUsage)
    .select(
      sql`SELECT charged.id, reported.value ->> 'day',
          (reported.value ->> 'invocations') - coalesce(${usage.invocations}, 0),
          (reported.value ->> 'computeMs') - coalesce(${usage.computeMs}, 0),
          (reported.value ->> 'credits') - coalesce(${usage.credits}, 0),
          ${newHours()}
        FROM json_each(${JSON.stringify(days)}) AS reported
        JOIN (${chargedFor(ownerId)}) AS charged
        LEFT JOIN ${usage} ON ${usage.ownerId} = ${payerOf(ownerId)}
          AND ${usage.day} = reported.value ->> 'day' AND ${usage.emitterId} = ${emitterId}
        WHERE (reported.value ->> 'invocations') + (reported.value ->> 'computeMs')
          > coalesce(${usage.invocations} + ${usage.computeMs}, 0)`,
    )
    .onConflictDoUpdate(ADDED_TO_OWNER);
}

function raiseEmitter(db: Database, { ownerId, emitterId, days }: UsageReport) {
  return db
    .insert(usage)
    .select(
      // Without a WHERE, SQLite takes the ON of the conflict for one of a join.
      sql`SELECT ${payerOf(ownerId)}, reported.value ->> 'day', ${emitterId}, reported.value ->> 'invocations',
          reported.value ->> 'computeMs', reported.value ->> 'credits', reported.value -> 'hours',
          ${reportedTotal("failures")}, ${reportedTotal("events")}
        FROM json_each(${JSON.stringify(days)}) AS reported WHERE true`,
    )
    .onConflictDoUpdate({
      target: [usage.ownerId, usage.day, usage.emitterId],
      set: {
        invocations: sql`excluded.invocations`,
        computeMs: sql`excluded.compute_ms`,
        credits: sql`excluded.credits`,
        ...RAISED_HOURS,
      },
      // Totals only grow, so their sum says which of two reports is the later one.
      setWhere: sql`excluded.invocations + excluded.compute_ms
        > ${usage.invocations} + ${usage.computeMs}`,
    });
}

/** Add an owner's usage outside of emitters. Unlike a report, a repeated call counts again. */
export async function addOwnerUsage(db: Database, ownerId: OwnerId, used: DayUsage): Promise<void> {
  const { day, invocations, computeMs, credits } = used;
  await db
    .insert(ownerUsage)
    .select(
      sql`SELECT charged.id, ${day}, ${invocations}, ${computeMs}, ${credits}, NULL
        FROM (${chargedFor(ownerId)}) AS charged WHERE true`,
    )
    .onConflictDoUpdate(ADDED_TO_OWNER);
}

/** Whom usage of an owner is added to: the payer, and the project of an external user. */
function chargedFor(owner: OwnerId): SQL {
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
export async function standingOf(
  db: Database,
  ownerId: OwnerId,
  day: string,
): Promise<{ plan: Terms["plan"]; quotas: Quotas; used: Used } | undefined> {
  const [[terms], [used]] = await db.batch([termsQuery(db, ownerId), usedOn(db, ownerId, day)]);
  return terms && { plan: terms.plan, quotas: terms, used: used ?? NOTHING };
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

/** The workspaces that the user belongs to, with what they used today. */
export async function workspacesOf(
  db: Database,
  user: ActorId,
  today: string,
): Promise<WorkspaceUsage[]> {
  const found = await workspaceQuery(db, user, today).orderBy(workspaces.createdAt, workspaces.id);
  return found.map(spread);
}

/** A workspace that the user belongs to, with what it used today. */
export async function usageOfWorkspace(
  db: Database,
  user: ActorId,
  { id, today }: { id: Id<"workspace">; today: string },
): Promise<WorkspaceUsage | undefined> {
  const [found] = await workspaceQuery(db, user, today, id);
  return found && spread(found);
}

function usedOn(db: Database, ownerId: OwnerId, day: string) {
  return db
    .select(totals)
    .from(ownerUsage)
    .where(and(eq(ownerUsage.ownerId, payerOf(ownerId)), eq(ownerUsage.day, day)));
}

const NOTHING: Used = { invocations: 0, computeMs: 0, credits: 0 };

const NO_QUOTAS: Quotas = {
  dailyInvocationsQuota: null,
  dailyComputeMsQuota: null,
  dailyCreditsQuota: null,
};

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

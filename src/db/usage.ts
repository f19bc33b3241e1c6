import { and, eq, getTableColumns, gte, sql } from "drizzle-orm";

import type { Id } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { memberships, usage, workspaces } from "./schema.ts";
import type { Workspace } from "./workspaces.ts";

/** What an owner used. */
export type Used = { invocations: number; computeMs: number; credits: number };

export type WorkspaceUsage = Workspace & { usedToday: Used };

/** What a user used today and since the first day of the period, and the user's workspaces with theirs. */
export async function usageOfUser(
  db: Database,
  user: Id<"user">,
  { today, periodStart }: { today: string; periodStart: string },
): Promise<{ today: Used; period: Used; workspaces: WorkspaceUsage[] }> {
  const since = (day: string) =>
    db
      .select(totals)
      .from(usage)
      .where(and(eq(usage.ownerId, user), gte(usage.day, day)));
  const [[todays], [periods], orgs] = await db.batch([
    since(today),
    since(periodStart),
    workspaceQuery(db, user, today).orderBy(workspaces.createdAt, workspaces.id),
  ]);
  return { today: todays ?? NOTHING, period: periods ?? NOTHING, workspaces: orgs.map(spread) };
}

/** A workspace that the user belongs to, with what it used today. */
export async function usageOfWorkspace(
  db: Database,
  user: Id<"user">,
  { id, today }: { id: Id<"workspace">; today: string },
): Promise<WorkspaceUsage | undefined> {
  const [found] = await workspaceQuery(db, user, today, id);
  return found && spread(found);
}

const NOTHING: Used = { invocations: 0, computeMs: 0, credits: 0 };

const totals = {
  invocations: sql<number>`coalesce(sum(${usage.invocations}), 0)`,
  computeMs: sql<number>`coalesce(sum(${usage.computeMs}), 0)`,
  credits: sql<number>`coalesce(sum(${usage.credits}), 0)`,
};

function workspaceQuery(db: Database, user: Id<"user">, today: string, id?: Id<"workspace">) {
  return db
    .select({ workspace: getTableColumns(workspaces), ...totals })
    .from(memberships)
    .innerJoin(workspaces, eq(workspaces.id, memberships.workspaceId))
    .leftJoin(usage, and(eq(usage.ownerId, workspaces.id), eq(usage.day, today)))
    .where(and(eq(memberships.userId, user), id && eq(workspaces.id, id)))
    .groupBy(workspaces.id);
}

function spread({ workspace, ...usedToday }: { workspace: Workspace } & Used): WorkspaceUsage {
  return { ...workspace, usedToday };
}

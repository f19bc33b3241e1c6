import { and, asc, eq, getTableColumns, gt, isNotNull, sql, type SQL } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { KEPT_PLAN_CHARACTERS, KEPT_VERSIONS } from "#domain/workflows.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { workflows } from "./schema/tables.ts";
import {
  workflowPlans as plans,
  workflowVersionCode as code,
  workflowVersions as versions,
} from "./schema/workflow-versions.ts";

export type WorkflowVersion = typeof versions.$inferSelect;

/** The plans of a version, as JSON texts. */
export type Plan = Pick<typeof plans.$inferSelect, "steps" | "sealed">;

/** The fields of a version beside its definition, which the workflow's row has. */
export type NewVersion = {
  userId: ActorId | null;
  restoredFrom: number | null;
  plan: Plan;
  hashes: readonly string[];
};

type Deployed = { id: Id<"workflow">; deploymentId: Id<"deployment"> };

/** For a batch: record the definition of a workflow as its version, if it is still of this deployment. */
export function recordVersion(db: Database, deployed: Deployed, version: NewVersion) {
  const { userId, restoredFrom } = version;
  return [
    db
      .insert(versions)
      .select(
        sql`SELECT ${workflows.id}, ${workflows.version}, ${workflows.name}, ${userId}, ${restoredFrom},
            ${workflows.updatedAt}, ${workflows.trigger}, ${workflows.steps}
          FROM ${workflows} WHERE ${isOf(deployed)}`,
      )
      .onConflictDoUpdate({
        target: [versions.workflowId, versions.version],
        set: { userId, restoredFrom },
      }),
    ...recordPlan(db, deployed, version),
    // The plans last: their sizes determine which versions are too old.
    ...[versions, code, plans].map((table) =>
      db
        .delete(table)
        .where(
          sql`${table.workflowId} = ${deployed.id} AND ${table.version} <= ${newestDropped(deployed)}`,
        ),
    ),
  ] as const;
}

/** The newest version that is not kept beside the current one. */
function newestDropped(deployed: Deployed): SQL {
  const { workflowId, version, steps, sealed } = plans;
  return sql`(SELECT max(${workflows.version} - ${KEPT_VERSIONS}, coalesce((SELECT max(version) FROM
      (SELECT ${version}, sum(length(${steps}) + length(coalesce(${sealed}, ''))) OVER (ORDER BY ${version} DESC) AS characters
        FROM ${plans} WHERE ${workflowId} = ${deployed.id})
      WHERE characters > ${KEPT_PLAN_CHARACTERS} AND version < ${workflows.version}), 0))
    FROM ${workflows} WHERE ${isOf(deployed)})`;
}

/** Record the plan of a workflow's version, if it is still of this deployment and has no plan yet. */
export async function insertPlan(
  db: Database,
  deployed: Deployed,
  planned: Pick<NewVersion, "plan" | "hashes">,
): Promise<void> {
  await db.batch(recordPlan(db, deployed, planned));
}

function recordPlan(
  db: Database,
  deployed: Deployed,
  { plan, hashes }: Pick<NewVersion, "plan" | "hashes">,
) {
  return [
    db
      .insert(plans)
      .select(
        sql`SELECT ${workflows.id}, ${workflows.version}, ${plan.sealed}, ${plan.steps}
          FROM ${workflows} WHERE ${isOf(deployed)}`,
      )
      .onConflictDoNothing(),
    db
      .insert(code)
      .select(
        sql`SELECT ${workflows.id}, ${workflows.version}, hashes.value
          FROM ${workflows} JOIN json_each(${JSON.stringify(hashes)}) AS hashes WHERE ${isOf(deployed)}`,
      )
      .onConflictDoNothing(),
  ] as const;
}

/** For a batch: delete all versions of a workflow. */
export function deleteVersions(db: Database, id: Id<"workflow">) {
  return [versions, plans, code].map((table) => db.delete(table).where(eq(table.workflowId, id)));
}

/** A workflow, with the plan of its current version. */
export async function workflowWithPlan(
  db: Database,
  id: Id<"workflow">,
): Promise<{ workflow: typeof workflows.$inferSelect; plan: Plan | null } | undefined> {
  const [found] = await db
    .select({ workflow: workflows, plan: { steps: plans.steps, sealed: plans.sealed } })
    .from(workflows)
    .leftJoin(plans, and(eq(plans.workflowId, workflows.id), eq(plans.version, workflows.version)))
    .where(eq(workflows.id, id));
  return found;
}

/** The versions of a workflow that the user may see; without a user, of any. Undefined if there is no such workflow. */
export async function pageOfVersions(
  db: Database,
  { id, user }: { id: Id<"workflow">; user: ActorId | undefined },
  request: PageRequest,
): Promise<Page<VersionSummary> | undefined> {
  const { within, order } = pageBounds(versions.version, request);
  const { steps: _, trigger: __, ...summary } = getTableColumns(versions);
  const [[found], items] = await db.batch([
    db
      .select({
        count: sql<number>`(SELECT count(*) FROM ${versions} WHERE ${versions.workflowId} = ${id})`,
      })
      .from(workflows)
      .where(isVisible(db, id, user)),
    db
      .select(summary)
      .from(versions)
      .where(and(eq(versions.workflowId, id), within))
      .orderBy(order)
      .limit(request.limit),
  ]);
  return found && { items: newestFirst(items, request), totalCount: found.count };
}

export type VersionSummary = Omit<WorkflowVersion, "steps" | "trigger">;

/** Some versions of a workflow that the user may see; without a user, of any. */
export async function versionsNumbered(
  db: Database,
  { id, user }: { id: Id<"workflow">; user: ActorId | undefined },
  numbers: readonly number[],
): Promise<WorkflowVersion[]> {
  return db
    .select(getTableColumns(versions))
    .from(versions)
    .innerJoin(workflows, eq(workflows.id, versions.workflowId))
    .where(
      and(
        isVisible(db, id, user),
        sql`${versions.version} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`,
      ),
    );
}

/** The plans of a workflow's version. */
export async function planOf(
  db: Database,
  id: Id<"workflow">,
  version: number,
): Promise<Plan | undefined> {
  const [plan] = await db
    .select({ steps: plans.steps, sealed: plans.sealed })
    .from(plans)
    .where(and(eq(plans.workflowId, id), eq(plans.version, version)));
  return plan;
}

export type SealedPlan = { ownerId: OwnerId; version: number; sealed: string };

/** The sealed secrets of some versions of a workflow, after one of them. */
export async function sealedPlans(
  db: Database,
  id: Id<"workflow">,
  { after, limit }: { after: number; limit: number },
): Promise<SealedPlan[]> {
  return db
    .select({
      ownerId: workflows.ownerId,
      version: plans.version,
      sealed: sql<string>`${plans.sealed}`,
    })
    .from(plans)
    .innerJoin(workflows, eq(workflows.id, plans.workflowId))
    .where(and(eq(plans.workflowId, id), isNotNull(plans.sealed), gt(plans.version, after)))
    .orderBy(asc(plans.version))
    .limit(limit);
}

/**
 * Replace the secrets of a version by the same ones under a new seal, if they are unchanged. Returns whether they were.
 */
export async function resealPlan(
  db: Database,
  { id, version, sealed }: { id: Id<"workflow">; version: number; sealed: string },
  renewed: string,
): Promise<boolean> {
  const rows = await db
    .update(plans)
    .set({ sealed: renewed })
    .where(and(eq(plans.workflowId, id), eq(plans.version, version), eq(plans.sealed, sealed)))
    .returning({ version: plans.version });
  return rows.length > 0;
}

function isOf({ id, deploymentId }: Deployed): SQL {
  return sql`${workflows.id} = ${id} AND ${workflows.deploymentId} = ${deploymentId}`;
}

function isVisible(db: Database, id: Id<"workflow">, user: ActorId | undefined) {
  return and(eq(workflows.id, id), user && isAccessible(db, workflows.ownerId, user));
}

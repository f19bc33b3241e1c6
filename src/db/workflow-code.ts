import { and, asc, eq, isNotNull, lt, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { workflowCode } from "./schema/derived.ts";
import { workflows } from "./schema/tables.ts";

/** A version of a workflow with the hashes of its code. */
export type DeploymentCode = { id: Id<"deployment">; hashes: readonly string[] };

type Workflow = typeof workflows.$inferSelect;
type Listed = Pick<Workflow, "id" | "ownerId">;

/** For a batch: record the code hashes of a deployment, unless they are recorded already. */
export function listCode(
  db: Database,
  { id: workflowId, ownerId }: Listed,
  deployments: readonly DeploymentCode[],
  createdAt: number,
) {
  const rows = deployments.flatMap(({ id, hashes }) => hashes.map((hash) => ({ id, hash })));
  return db
    .insert(workflowCode)
    .select(
      db
        .select({
          workflowId: sql`${workflowId}`.as("workflow_id"),
          deploymentId: sql`value ->> 'id'`.as("deployment_id"),
          ownerId: sql`${ownerId}`.as("owner_id"),
          hash: sql`value ->> 'hash'`.as("hash"),
          createdAt: sql`${createdAt}`.as("created_at"),
        })
        .from(sql`json_each(${JSON.stringify(rows)})`)
        // A workflow that was deleted meanwhile has no code.
        .where(sql`EXISTS (SELECT 1 FROM ${workflows} WHERE ${workflows.id} = ${workflowId})`),
    )
    .onConflictDoNothing();
}

/** Schedule another check of a workflow: its object has not confirmed its last deployment yet. */
export async function checkAgain(db: Database, id: Id<"workflow">, now: number): Promise<void> {
  await db.update(workflows).set({ codeCheckedAt: now }).where(eq(workflows.id, id));
}

/** For a batch: delete the code hashes of a workflow's deployments. */
export function unlistCode(db: Database, id: Id<"workflow">) {
  return db.delete(workflowCode).where(eq(workflowCode.workflowId, id));
}

/** Workflows with listed code that may be unused, or without listed code yet; least recently queried first. */
export function uncheckedWorkflows(db: Database, limit: number): Promise<Workflow[]> {
  return db
    .select()
    .from(workflows)
    .where(isNotNull(workflows.codeCheckedAt))
    .orderBy(asc(workflows.codeCheckedAt))
    .limit(limit);
}

/**
 * Delete the listed code that is not in use, neither by the deployment that the workflow's row names nor by those of
 * `inUse`, which the workflow reports. Code listed since `before` stays: its deployment is under way.
 */
export async function settleCode(
  db: Database,
  workflow: Pick<Workflow, "id" | "ownerId" | "deploymentId">,
  inUse: readonly DeploymentCode[],
  { now, before }: { now: number; before: number },
): Promise<void> {
  const { id, deploymentId } = workflow;
  const kept = [deploymentId, ...inUse.map((deployment) => deployment.id)];
  const isOfAnother = sql`${workflowCode.deploymentId} <> ${workflows.deploymentId}`;
  await db.batch([
    listCode(db, workflow, inUse, now),
    db
      .delete(workflowCode)
      .where(
        and(
          eq(workflowCode.workflowId, id),
          lt(workflowCode.createdAt, before),
          sql`${workflowCode.deploymentId} NOT IN (SELECT value FROM json_each(${JSON.stringify(kept)}))`,
        ),
      ),
    db
      .update(workflows)
      .set({
        codeCheckedAt: sql`CASE WHEN EXISTS (
          SELECT 1 FROM ${workflowCode} WHERE ${workflowCode.workflowId} = ${id} AND ${isOfAnother}
        ) THEN ${now} END`,
      })
      .where(eq(workflows.id, id)),
  ]);
}

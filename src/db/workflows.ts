import { and, count, desc, eq } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { FilteredRequest, Page } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { deleteLinksOf } from "./listeners.ts";
import { filterOf, newestFirst, pageBounds } from "./page.ts";
import type { RoutesChange } from "./routes-change.ts";
import { workflows } from "./schema/tables.ts";
import { subscribeToStreams } from "./source-changes.ts";
import { listCode, unlistCode } from "./workflow-code.ts";
import { deleteVersions, type NewVersion, recordVersion } from "./workflow-versions.ts";

export type Workflow = typeof workflows.$inferSelect;

/** The first deployment of a workflow. */
type NewWorkflow = Omit<Workflow, "seq" | "codeCheckedAt" | "version">;

/**
 * Insert a workflow with its first version, and subscribe to it the listeners of all new emitters of its owner. The
 * sweep checks whether its object received it.
 */
export async function insertWorkflow(
  change: RoutesChange,
  workflow: NewWorkflow,
  version: NewVersion,
): Promise<Workflow> {
  const { db } = change;
  const deployment = { id: workflow.deploymentId, hashes: version.hashes };
  const [[inserted]] = await db.batch([
    db
      .insert(workflows)
      .values({ ...workflow, codeCheckedAt: workflow.createdAt })
      .returning(),
    subscribeToStreams(change, workflow),
    listCode(db, workflow, [deployment], workflow.createdAt),
    ...recordVersion(db, workflow, version),
  ]);
  if (!inserted) throw new Error(`The row of ${workflow.id} was not written`);
  return inserted;
}

/** A workflow that the user may see; without a user, any. */
export async function workflowById(
  db: Database,
  user: ActorId | undefined,
  id: Id<"workflow">,
): Promise<Workflow | undefined> {
  const [workflow] = await db
    .select()
    .from(workflows)
    .where(and(eq(workflows.id, id), user && isAccessible(db, workflows.ownerId, user)));
  return workflow;
}

/** The newest workflows of an owner. */
export async function newestWorkflows(
  db: Database,
  owner: OwnerId,
  limit: number,
): Promise<Id<"workflow">[]> {
  const rows = await db
    .select({ id: workflows.id })
    .from(workflows)
    .where(eq(workflows.ownerId, owner))
    .orderBy(desc(workflows.seq))
    .limit(limit);
  return rows.map(({ id }) => id);
}

/** The workflows of one owner; of every owner if none is given. */
export async function pageOfWorkflows(
  db: Database,
  owner: OwnerId | undefined,
  request: FilteredRequest,
): Promise<Page<Workflow>> {
  const filter = filterOf(workflows, [workflows.name, workflows.id], request);
  const owned = and(owner && eq(workflows.ownerId, owner), filter);
  const { within, order } = pageBounds(workflows.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(workflows).where(and(owned, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(workflows).where(owned),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** The changes of a workflow's row by a new deployment. */
type Redeployment = Pick<
  Workflow,
  "deploymentId" | "deployedMs" | "name" | "active" | "trigger" | "steps" | "version" | "updatedAt"
>;

/**
 * Deploy a workflow, if its current deployment is still the one that the caller read; else only undefined is returned.
 * `recorded`: the version that this deployment creates, if any. The sweep checks whether its object received it.
 */
export async function updateWorkflow(
  db: Database,
  seen: Pick<Workflow, "id" | "ownerId" | "deploymentId">,
  change: Redeployment,
  { hashes, recorded }: { hashes: readonly string[]; recorded: NewVersion | undefined },
): Promise<Workflow | undefined> {
  const { id } = seen;
  const { deploymentId, updatedAt } = change;
  const [, [updated]] = await db.batch([
    // Before the row names the deployment, or a trigger lets the sweep list its code.
    listCode(db, seen, [{ id: deploymentId, hashes }], updatedAt),
    db
      .update(workflows)
      .set({ ...change, codeCheckedAt: updatedAt })
      .where(and(eq(workflows.id, id), eq(workflows.deploymentId, seen.deploymentId)))
      .returning(),
    ...(recorded ? recordVersion(db, { id, deploymentId }, recorded) : []),
  ]);
  return updated;
}

/** Delete a workflow, and all subscriptions with it as emitter or listener. */
export async function deleteWorkflow(
  change: RoutesChange,
  workflow: Pick<Workflow, "id" | "ownerId">,
): Promise<void> {
  const { db } = change;
  const { id } = workflow;
  const [deleted] = await db.batch([
    ...deleteLinksOf(db, workflow),
    unlistCode(db, id),
    ...deleteVersions(db, id),
    db.delete(workflows).where(eq(workflows.id, id)),
  ]);
  change.note(deleted);
}

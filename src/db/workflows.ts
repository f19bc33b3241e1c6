import { and, count, desc, eq, or } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { autoSubscriptions, subscriptions, workflows } from "./schema/tables.ts";
import { subscribeToStreams } from "./source-changes.ts";
import { listCode, unlistCode } from "./workflow-code.ts";

export type Workflow = typeof workflows.$inferSelect;

/**
 * Keep a workflow and what it is made of, by the hashes, and have those listen to it that listen to all that its owner
 * creates.
 */
export async function insertWorkflow(
  db: Database,
  workflow: Omit<Workflow, "seq" | "codeCheckedAt">,
  hashes: readonly string[],
): Promise<Workflow> {
  const deployment = { id: workflow.deploymentId, hashes };
  const [[inserted]] = await db.batch([
    db
      .insert(workflows)
      .values({ ...workflow, codeCheckedAt: null })
      .returning(),
    subscribeToStreams(db, workflow),
    listCode(db, workflow, [deployment], workflow.createdAt),
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

/** The workflows of one owner; of every owner where none is given. */
export async function pageOfWorkflows(
  db: Database,
  owner: OwnerId | undefined,
  request: PageRequest,
): Promise<Page<Workflow>> {
  const owned = owner && eq(workflows.ownerId, owner);
  const { within, order } = pageBounds(workflows.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(workflows).where(and(owned, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(workflows).where(owned),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** What a new deployment makes of a workflow. Undefined where there is no such workflow any more. */
export async function updateWorkflow(
  db: Database,
  id: Id<"workflow">,
  change: Pick<Workflow, "deploymentId" | "name" | "active" | "trigger" | "steps" | "updatedAt">,
): Promise<Workflow | undefined> {
  const [updated] = await db.update(workflows).set(change).where(eq(workflows.id, id)).returning();
  return updated;
}

/** Forget a workflow, and every subscription that it emits to or listens by. */
export async function deleteWorkflow(
  db: Database,
  { id, ownerId }: Pick<Workflow, "id" | "ownerId">,
): Promise<void> {
  const asEmitter = and(eq(subscriptions.ownerId, ownerId), eq(subscriptions.emitterId, id));
  await db.batch([
    db.delete(subscriptions).where(or(asEmitter, eq(subscriptions.listenerId, id))),
    db.delete(autoSubscriptions).where(eq(autoSubscriptions.listenerId, id)),
    unlistCode(db, id),
    db.delete(workflows).where(eq(workflows.id, id)),
  ]);
}

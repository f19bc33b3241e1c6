import {
  and,
  desc,
  eq,
  exists,
  getTableColumns,
  inArray,
  like,
  lt,
  notExists,
  sql,
} from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "../client.ts";
import { ROUTE_KEY } from "../listeners.ts";
import { newestFirst, pageBounds } from "../page.ts";
import type { RoutesChange } from "../routes-change.ts";
import { agentSubscriptions } from "../schema/agents.ts";
import { deployedTriggers, externalUsers } from "../schema/connect.ts";
import { ownedCounts } from "../schema/derived.ts";
import { components, sources, subscriptions, webhooks } from "../schema/tables.ts";
import type { Source } from "../sources.ts";
import { type Place, usersIn } from "./external-users.ts";

/** Fields of a trigger beside its source. */
export type DeployedTrigger = typeof deployedTriggers.$inferSelect;

/** A leftover trigger without a source. */
export type LeftOver = Pick<DeployedTrigger, "sourceId" | "webhookId">;

/** A source with its row as a trigger, and the customer's id of the user that owns it. */
export type Trigger = { source: Source; noted: DeployedTrigger; externalUserId: string };

/** The triggers of one external user, or of all in an environment of a project. */
export type TriggerScope = Place & { user?: Id<"external_user"> | undefined };

/** Record a trigger before its source exists: the leftovers of one that was never deployed are found by it. */
export async function noteTrigger(db: Database, row: DeployedTrigger): Promise<void> {
  await db.insert(deployedTriggers).values(row);
}

export async function updateTrigger(
  db: Database,
  id: Id<"source">,
  change: Partial<Pick<DeployedTrigger, "emitOnDeploy" | "webhookId">>,
): Promise<void> {
  await db.update(deployedTriggers).set(change).where(eq(deployedTriggers.sourceId, id));
}

/** A trigger within a scope. */
export async function triggerIn(
  db: Database,
  scope: TriggerScope,
  id: Id<"source">,
): Promise<Trigger | undefined> {
  const [found] = await db
    .select({ source: sources, noted: deployedTriggers, externalUserId: externalUsers.externalId })
    .from(deployedTriggers)
    .innerJoin(sources, eq(sources.id, deployedTriggers.sourceId))
    .innerJoin(externalUsers, eq(externalUsers.id, sources.ownerId))
    .where(and(eq(deployedTriggers.sourceId, id), within(db, scope)));
  return found;
}

// A batch loses one of two columns with the same name; `sources` has a `created_at`, too.
const notedApart = {
  ...getTableColumns(deployedTriggers),
  createdAt: sql<number>`${deployedTriggers.createdAt}`.as("noted_at"),
};

/** A page of triggers, newest first. */
export async function pageOfTriggers(
  db: Database,
  scope: TriggerScope,
  request: PageRequest,
): Promise<Page<Trigger & { seq: number }>> {
  // Each scope has an index with its triggers in this order, so that no page sorts them all.
  const seq = scope.user ? sql<number>`${sources.seq}` : sql<number>`${deployedTriggers}.rowid`;
  const { within: bounds, order } = pageBounds(seq, request);
  const [items, [total]] = await db.batch([
    db
      .select({
        source: sources,
        noted: notedApart,
        externalUserId: externalUsers.externalId,
        seq: seq.as("position"),
      })
      .from(deployedTriggers)
      .innerJoin(sources, eq(sources.id, deployedTriggers.sourceId))
      .innerJoin(externalUsers, eq(externalUsers.id, sources.ownerId))
      .where(and(within(db, scope), bounds))
      .orderBy(order)
      .limit(request.limit),
    // External users have no sources other than triggers.
    db
      .select({ count: sql<number>`coalesce(sum(${ownedCounts.count}), 0)` })
      .from(ownedCounts)
      .where(
        and(
          scope.user
            ? eq(ownedCounts.ownerId, scope.user)
            : inArray(ownedCounts.ownerId, usersIn(db, scope)),
          eq(ownedCounts.kind, "source"),
        ),
      ),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** The props that components declare, by their ids. At most a hundred. */
export async function propsOfComponents(db: Database, ids: readonly Id<"component">[]) {
  const rows = await db
    .select({ id: components.id, key: components.key, definition: components.definition })
    .from(components)
    .where(inArray(components.id, ids.slice(0, 100)));
  return new Map(rows.map((row) => [row.id, row]));
}

/** The webhooks that listen to a trigger, oldest first; without those of agents, who chose their secrets. */
export function webhooksOfTrigger(db: Database, id: Id<"source">) {
  const agents = db
    .select({ id: agentSubscriptions.id })
    .from(agentSubscriptions)
    .where(eq(agentSubscriptions.webhookId, webhooks.id));
  return db
    .select({ webhook: webhooks })
    .from(subscriptions)
    .innerJoin(webhooks, eq(webhooks.id, subscriptions.listenerId))
    .where(and(eq(subscriptions.emitterId, id), eq(subscriptions.eventName, ""), notExists(agents)))
    .orderBy(webhooks.seq)
    .then((rows) => rows.map(({ webhook }) => webhook));
}

/** The workflows that listen to a trigger, oldest first. */
export async function workflowsOfTrigger(db: Database, id: Id<"source">): Promise<string[]> {
  const rows = await db
    .select({ id: subscriptions.listenerId })
    .from(subscriptions)
    .where(
      and(
        eq(subscriptions.emitterId, id),
        eq(subscriptions.eventName, ""),
        like(subscriptions.listenerId, "p!_%").append(sql` ESCAPE '!'`),
      ),
    )
    .orderBy(desc(subscriptions.seq));
  return rows.map((row) => row.id).toReversed();
}

/** Some of the triggers recorded before a time without a source: it was deleted or never created. */
export async function triggersLeftOver(
  db: Database,
  before: number,
  limit: number,
): Promise<LeftOver[]> {
  return db
    .select({ sourceId: deployedTriggers.sourceId, webhookId: deployedTriggers.webhookId })
    .from(deployedTriggers)
    .where(
      and(
        lt(deployedTriggers.createdAt, before),
        sql`NOT EXISTS (SELECT 1 FROM ${sources} AS s WHERE s.id = ${deployedTriggers.sourceId})`,
      ),
    )
    .limit(limit);
}

/** Delete the record of a trigger, with the row of its webhook and all subscriptions to it. */
export async function deleteTriggerRows(
  change: RoutesChange,
  { sourceId, webhookId }: LeftOver,
): Promise<void> {
  const { db } = change;
  const [deleted] = await db.batch([
    db.delete(subscriptions).where(eq(subscriptions.emitterId, sourceId)).returning(ROUTE_KEY),
    db.delete(webhooks).where(eq(webhooks.id, webhookId ?? "wh_")),
    db.delete(deployedTriggers).where(eq(deployedTriggers.sourceId, sourceId)),
  ]);
  change.note(deleted);
}

function within(db: Database, { user, ...place }: TriggerScope) {
  const owned = user
    ? eq(sources.ownerId, user)
    : and(
        eq(deployedTriggers.projectId, place.project),
        eq(deployedTriggers.environment, place.environment),
        exists(usersIn(db, place, eq(externalUsers.id, sources.ownerId))),
      );
  return and(owned, eq(sources.state, "live"));
}

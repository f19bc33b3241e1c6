import { and, desc, eq, sql } from "drizzle-orm";
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { RouteKey } from "#domain/routes.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { ROUTE_KEY } from "./listeners.ts";
import type { RoutesChange } from "./routes-change.ts";
import { autoSubscriptions, subscriptions } from "./schema/tables.ts";
import { membershipQuery } from "./workspaces.ts";

export type Subscription = typeof subscriptions.$inferSelect;
export type AutoSubscription = typeof autoSubscriptions.$inferSelect;

/** A subscription: events of an emitter for a listener. */
export type Link = Pick<Subscription, "emitterId" | "listenerId" | "eventName">;

/** A new filter: an expression, null for none, undefined to keep that of an existing subscription. */
type NewFilter = { filter: string | null | undefined };

/**
 * Create a subscription. Returns the existing one for the same emitter, listener and channel, if any, with the new
 * filter.
 */
export async function insertSubscription(
  change: RoutesChange,
  subscription: Omit<Subscription, "filter" | "seq"> & NewFilter,
): Promise<Subscription> {
  const { db } = change;
  const { ownerId } = subscription;
  const [, [kept]] = await db.batch([
    db
      .insert(subscriptions)
      .values(subscription)
      .onConflictDoUpdate({
        target: [
          subscriptions.ownerId,
          subscriptions.emitterId,
          subscriptions.eventName,
          subscriptions.listenerId,
        ],
        set: { filter: filterOr(subscription, subscriptions.filter) },
      }),
    db
      .select()
      .from(subscriptions)
      .where(and(eq(subscriptions.ownerId, ownerId), links(subscription))),
  ]);
  if (!kept) throw new Error("The row of a subscription was not written");
  change.note([kept]);
  return kept;
}

/** The scope of a subscription: an owner, if one is named, else all owners that the user may see. */
type Whose = { user: ActorId; owner: OwnerId | undefined };

/** The key of a subscription to delete. */
export function keysOfLink(db: Database, whose: Whose, link: Link): Promise<RouteKey[]> {
  return db
    .select(ROUTE_KEY)
    .from(subscriptions)
    .where(and(links(link), isTheirs(db, whose)));
}

/** Delete a subscription. Returns whether it existed. */
export async function deleteSubscription(
  change: RoutesChange,
  whose: Whose,
  link: Link,
): Promise<boolean> {
  const { db } = change;
  const deleted = await db
    .delete(subscriptions)
    .where(and(links(link), isTheirs(db, whose)))
    .returning(ROUTE_KEY);
  change.note(deleted);
  return deleted.length > 0;
}

function isTheirs(db: Database, { user, owner }: Whose) {
  return and(
    isAccessible(db, subscriptions.ownerId, user),
    owner && eq(subscriptions.ownerId, owner),
  );
}

/** All subscriptions of an owner, newest first. */
export function subscriptionsOf(db: Database, owner: OwnerId): Promise<Subscription[]> {
  return ownedQuery(db, owner);
}

/** All subscriptions of a workspace, or undefined if the user does not belong to it. */
export async function subscriptionsOfWorkspace(
  db: Database,
  user: ActorId,
  workspace: Id<"workspace">,
): Promise<Subscription[] | undefined> {
  const [membership, rows] = await db.batch([
    membershipQuery(db, workspace, user),
    ownedQuery(db, workspace),
  ]);
  return membership.length > 0 ? rows : undefined;
}

/** Create an auto-subscription, as `insertSubscription` does. */
export async function insertAutoSubscription(
  db: Database,
  auto: Omit<AutoSubscription, "filter" | "seq"> & NewFilter,
): Promise<AutoSubscription> {
  const [, [kept]] = await db.batch([
    db
      .insert(autoSubscriptions)
      .values(auto)
      .onConflictDoUpdate({
        target: [
          autoSubscriptions.ownerId,
          autoSubscriptions.eventName,
          autoSubscriptions.listenerId,
        ],
        set: { filter: filterOr(auto, autoSubscriptions.filter) },
      }),
    db
      .select()
      .from(autoSubscriptions)
      .where(
        and(
          eq(autoSubscriptions.ownerId, auto.ownerId),
          eq(autoSubscriptions.listenerId, auto.listenerId),
          eq(autoSubscriptions.eventName, auto.eventName),
        ),
      ),
  ]);
  if (!kept) throw new Error("The row of an auto-subscription was not written");
  return kept;
}

/** All auto-subscriptions of an owner, newest first. */
export function autoSubscriptionsOf(db: Database, owner: OwnerId): Promise<AutoSubscription[]> {
  return db
    .select()
    .from(autoSubscriptions)
    .where(eq(autoSubscriptions.ownerId, owner))
    .orderBy(desc(autoSubscriptions.seq));
}

/** Delete an auto-subscription. Returns whether it existed. Subscriptions that it created stay. */
export async function deleteAutoSubscription(
  db: Database,
  {
    ownerId,
    listenerId,
    eventName,
  }: Pick<AutoSubscription, "ownerId" | "listenerId" | "eventName">,
): Promise<boolean> {
  const deleted = await db
    .delete(autoSubscriptions)
    .where(
      and(
        eq(autoSubscriptions.ownerId, ownerId),
        eq(autoSubscriptions.listenerId, listenerId),
        eq(autoSubscriptions.eventName, eventName),
      ),
    )
    .returning({ id: autoSubscriptions.id });
  return deleted.length > 0;
}

/** The new filter, or the stored one if none is given. */
function filterOr({ filter }: NewFilter, stored: AnySQLiteColumn) {
  return filter === undefined ? sql`${stored}` : filter;
}

function ownedQuery(db: Database, owner: OwnerId) {
  return db
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.ownerId, owner))
    .orderBy(desc(subscriptions.seq));
}

function links({ emitterId, listenerId, eventName }: Link) {
  return and(
    eq(subscriptions.emitterId, emitterId),
    eq(subscriptions.listenerId, listenerId),
    eq(subscriptions.eventName, eventName),
  );
}

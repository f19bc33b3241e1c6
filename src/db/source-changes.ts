import { and, eq, inArray, isNotNull, isNull, lt, notExists, or, type SQL, sql } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import { slugOf } from "#domain/slug.ts";

import type { Database } from "./client.ts";
import type { Component } from "./components.ts";
import { deleteLinksOf, mayListen } from "./listeners.ts";
import type { RoutesChange } from "./routes-change.ts";
import { agentSources } from "./schema/agents.ts";
import {
  autoSubscriptions,
  components,
  type PendingChange,
  sources,
  subscriptions,
} from "./schema/tables.ts";
import { freeSlug, isLiveFor, type NewSource, type Source } from "./sources.ts";

/** A claim on a source is its `updating_since`; one that began before `staleBefore` no longer holds. */
export type Claim = { at: number; staleBefore: number };

/** The result of an attempt to claim a source: only one change at a time is allowed. */
export type Claimed =
  | { kind: "claimed"; source: Source; component: Component }
  | { kind: "busy" }
  | { kind: "missing" }
  /** It was deployed for agents, who share it as it is. */
  | { kind: "shared" };

/** Reserve a slug for a source before it is deployed. Readers do not see its row yet. */
export async function reserveSource(change: RoutesChange, source: NewSource): Promise<Source> {
  const { db } = change;
  const nameSlug = freeSlug(source.id, source.ownerId, slugOf(source.name));
  // Events of its first hook must already reach the listeners of its owner's streams.
  const [[reserved]] = await db.batch([
    db
      .insert(sources)
      .values({ ...source, nameSlug })
      .returning(),
    subscribeToStreams(change, source),
  ]);
  if (!reserved) throw new Error(`The row of ${source.id} was not written`);
  return reserved;
}

/** For a batch: subscribe the owner's auto-subscribed listeners to a new emitter. */
export function subscribeToStreams(
  { db }: RoutesChange,
  emitter: { id: string; ownerId: OwnerId; createdAt: number },
) {
  return db.insert(subscriptions).select(
    db
      .select({
        seq: sql`NULL`.as("seq"),
        id: sql`'sub_' || lower(hex(randomblob(16)))`.as("id"),
        ownerId: autoSubscriptions.ownerId,
        userId: autoSubscriptions.userId,
        emitterId: sql`${emitter.id}`.as("emitter_id"),
        listenerId: autoSubscriptions.listenerId,
        eventName: autoSubscriptions.eventName,
        filter: autoSubscriptions.filter,
        createdAt: sql`${emitter.createdAt}`.as("created_at"),
        sinceMs: sql`0`.as("since_ms"),
      })
      .from(autoSubscriptions)
      .where(and(eq(autoSubscriptions.ownerId, emitter.ownerId), mayListen("auto_subscriptions"))),
  );
}

/** Make a deployed source visible, and save its new component, if any. Idempotent. */
export async function publishSource(
  db: Database,
  { id, pending }: Pick<Source, "id" | "pending">,
): Promise<void> {
  const publish = db
    .update(sources)
    .set({ state: "live", updatingSince: null, pending: null })
    .where(and(eq(sources.id, id), eq(sources.state, "deploying")));
  if (!pending?.component) await publish;
  else await db.batch([insertComponent(db, pending.component), publish]);
}

/** The source of a pending create, update or delete. Undefined: none is pending. */
export async function sourceInChange(db: Database, id: Id<"source">): Promise<Source | undefined> {
  const isInChange = and(eq(sources.id, id), isNotNull(sources.updatingSince));
  const [source] = await db.select().from(sources).where(isInChange);
  return source;
}

function insertComponent(db: Database, component: Component) {
  return db.insert(components).values(component).onConflictDoNothing();
}

/** Claim a live source for an update. */
export async function claimForUpdate(
  db: Database,
  user: ActorId,
  { id, at, staleBefore }: Claim & { id: Id<"source"> },
): Promise<Claimed> {
  // In a batch D1 returns rows by column name: a join of two tables that both have an `id` would lose one.
  const componentOf = db
    .select({ id: sources.componentId })
    .from(sources)
    .where(isLiveFor(db, user, id));
  const shared = db
    .select({ id: agentSources.sourceId })
    .from(agentSources)
    .where(eq(agentSources.sourceId, id));
  const [claimed, [source], [component], isShared] = await db.batch([
    db
      .update(sources)
      .set({ updatingSince: at })
      .where(and(isLiveFor(db, user, id), isUnclaimed(staleBefore), notExists(shared)))
      .returning({ id: sources.id }),
    db
      .select()
      .from(sources)
      .where(isLiveFor(db, user, id)),
    db.select().from(components).where(inArray(components.id, componentOf)),
    shared,
  ]);
  if (!source || !component) return { kind: "missing" };
  if (isShared.length > 0) return { kind: "shared" };
  return claimed.length === 0 ? { kind: "busy" } : { kind: "claimed", source, component };
}

/** Claim a live source for deletion, which hides it from readers. Undefined: it is missing or busy. */
export async function claimForDeletion(
  db: Database,
  user: OwnerId,
  { id, at, staleBefore }: Claim & { id: Id<"source"> },
): Promise<"busy" | "missing" | Source> {
  const [found, [claimed]] = await db.batch([
    db
      .select({ id: sources.id })
      .from(sources)
      .where(isLiveFor(db, user, id)),
    db
      .update(sources)
      .set({ state: "deleting", updatingSince: at })
      .where(and(isLiveFor(db, user, id), isUnclaimed(staleBefore)))
      .returning(),
  ]);
  if (found.length === 0) return "missing";
  return claimed ?? "busy";
}

/** Record an update before it starts, so that it can be cleaned up after a crash. */
export async function notePending(
  db: Database,
  { id, at }: { id: Id<"source">; at: number },
  pending: PendingChange,
): Promise<void> {
  await db.update(sources).set({ pending }).where(isClaimedAt(id, at));
}

/** The result of an update of a source. */
export type Changed = Pick<
  Source,
  "componentId" | "name" | "active" | "shownProps" | "endpoints" | "apphooks" | "shards"
> & {
  /** The new component of the update, if any. */
  component: Component | null;
};

/** Commit an update and release its claim. Does nothing if the claim was lost. */
export async function finishUpdate(
  db: Database,
  { source, at, now }: { source: Source; at: number; now: number },
  { component, ...changed }: Changed,
): Promise<void> {
  const isRenamed = changed.name !== source.name;
  const slug = freeSlug(source.id, source.ownerId, slugOf(changed.name));
  const update = db
    .update(sources)
    .set({
      ...changed,
      ...(isRenamed && { nameSlug: slug }),
      updatedAt: now,
      updatingSince: null,
      pending: null,
    })
    .where(isClaimedAt(source.id, at));
  if (component) await db.batch([insertComponent(db, component), update]);
  else await update;
}

/** Release a claim without changes. */
export async function releaseSource(db: Database, id: Id<"source">, at: number): Promise<void> {
  await db.update(sources).set({ updatingSince: null, pending: null }).where(isClaimedAt(id, at));
}

/** Delete a source and its subscriptions, as emitter and as listener. */
export async function deleteSource(
  change: RoutesChange,
  source: Pick<Source, "id" | "ownerId">,
): Promise<void> {
  const { db } = change;
  const [deleted] = await db.batch([
    ...deleteLinksOf(db, source),
    db.delete(sources).where(eq(sources.id, source.id)),
  ]);
  change.note(deleted);
}

function isUnclaimed(staleBefore: number): SQL | undefined {
  return or(isNull(sources.updatingSince), lt(sources.updatingSince, staleBefore));
}

function isClaimedAt(id: Id<"source">, at: number): SQL | undefined {
  return and(eq(sources.id, id), eq(sources.state, "live"), eq(sources.updatingSince, at));
}

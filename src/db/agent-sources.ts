import { and, count, desc, eq, gt, inArray, isNotNull, isNull, lte, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { agentSources, agentSubscriptions } from "./schema/agents.ts";
import { components, sources } from "./schema/tables.ts";
import type { Source } from "./sources.ts";

export type AgentSource = Omit<typeof agentSources.$inferSelect, "seq">;

/** The source that has a key, and whether it is deployed by now. */
export type KeyedSource = Pick<
  AgentSource,
  "claimedAt" | "createdAt" | "polledUntil" | "sourceId"
> & { isLive: boolean };

export async function agentSourceByKey(
  db: Database,
  key: string,
): Promise<KeyedSource | undefined> {
  const [found] = await keyedQuery(db, key);
  return found && { ...found, isLive: found.isLive === 1 };
}

/**
 * Claim a key for a source before its deployment. Returns the source that has the key: another one if another request
 * was first, unless that one is neither deployed nor has reported since `staleBefore`.
 */
export async function claimAgentSource(
  db: Database,
  source: AgentSource & { key: string },
  staleBefore: number,
): Promise<KeyedSource> {
  const { key } = source;
  const [, , [holder]] = await db.batch([
    db
      .update(agentSources)
      .set({ key: null })
      .where(
        and(
          eq(agentSources.key, key),
          lte(agentSources.claimedAt, staleBefore),
          sql`NOT ${IS_LIVE}`,
        ),
      ),
    db.insert(agentSources).values(source).onConflictDoNothing(),
    keyedQuery(db, key),
  ]);
  if (!holder) throw new Error(`The row of ${source.sourceId} was not written`);
  return { ...holder, isLive: holder.isLive === 1 };
}

/** Renew the claim of a source during and after its deployment. False: another source has the key now. */
export async function renewClaim(
  db: Database,
  source: Id<"source">,
  claimedAt: number,
): Promise<boolean> {
  const renewed = await db
    .update(agentSources)
    .set({ claimedAt })
    .where(isKeyed(source))
    .returning({ id: agentSources.sourceId });
  return renewed.length > 0;
}

/** Keep a source for polls until a time. False: it was ended. */
export async function keepForPolls(
  db: Database,
  source: Id<"source">,
  polledUntil: number,
): Promise<boolean> {
  const kept = await db
    .update(agentSources)
    .set({ polledUntil })
    .where(isKeyed(source))
    .returning({ id: agentSources.sourceId });
  return kept.length > 0;
}

/** Whether a source has a key. */
export async function isShared(db: Database, source: Id<"source">, key?: string): Promise<boolean> {
  const [found] = await db
    .select({ id: agentSources.sourceId })
    .from(agentSources)
    .where(and(isKeyed(source), key === undefined ? undefined : eq(agentSources.key, key)));
  return found !== undefined;
}

/**
 * End the sharing of a source without subscriptions and polls, if its last claim was not after `claimedBefore`. Returns
 * the source if it must be deleted then.
 */
export async function releaseAgentSource(
  db: Database,
  source: Id<"source">,
  { now, claimedBefore }: { now: number; claimedBefore?: number | undefined },
): Promise<Pick<AgentSource, "ownerId" | "sourceId"> | undefined> {
  const [released] = await db
    .update(agentSources)
    .set({ key: null })
    .where(
      and(
        isKeyed(source),
        lte(agentSources.polledUntil, now),
        claimedBefore === undefined ? undefined : lte(agentSources.claimedAt, claimedBefore),
        sql`NOT ${IS_SUBSCRIBED}`,
      ),
    )
    .returning({ sourceId: agentSources.sourceId, ownerId: agentSources.ownerId });
  return released;
}

/** Remove the key of a source after its deployment failed. */
export async function dropKey(db: Database, source: Id<"source">): Promise<void> {
  await db.update(agentSources).set({ key: null }).where(isKeyed(source));
}

/** The row of a source in any state. */
export async function sourceInAnyState(
  db: Database,
  id: Id<"source">,
): Promise<Source | undefined> {
  const [source] = await db.select().from(sources).where(eq(sources.id, id));
  return source;
}

export async function deleteAgentSource(db: Database, source: Id<"source">): Promise<void> {
  await db.delete(agentSources).where(eq(agentSources.sourceId, source));
}

/** Some of the sources without a key, which must be deleted. */
export function releasedAgentSources(
  db: Database,
  limit: number,
): Promise<Pick<AgentSource, "ownerId" | "sourceId">[]> {
  return db
    .select({ sourceId: agentSources.sourceId, ownerId: agentSources.ownerId })
    .from(agentSources)
    .where(isNull(agentSources.key))
    .limit(limit);
}

/** The sources of a stretch without subscriptions, in order of creation, and the end of the stretch. */
export async function idleAgentSources(
  db: Database,
  { after, length }: { after: number; length: number },
): Promise<{ idle: Id<"source">[]; last: number | null }> {
  const rows = await db
    .select({
      seq: agentSources.seq,
      sourceId: agentSources.sourceId,
      isSubscribed: sql<number>`${IS_SUBSCRIBED}`,
    })
    .from(agentSources)
    .where(and(gt(agentSources.seq, after), isNotNull(agentSources.key)))
    .orderBy(agentSources.seq)
    .limit(length);
  const last = rows.length < length ? undefined : rows.at(-1);
  return {
    idle: rows.filter((row) => row.isSubscribed === 0).map(({ sourceId }) => sourceId),
    last: last?.seq ?? null,
  };
}

/** The number of agents' sources of an owner, and of all external users of a project together. */
export async function countAgentSources(
  db: Database,
  owner: OwnerId,
  project: Id<"project"> | undefined,
): Promise<{ owner: number; project: number }> {
  const [[ofOwner], [ofProject]] = await db.batch([
    db.select({ count: count() }).from(agentSources).where(eq(agentSources.ownerId, owner)),
    db
      .select({ count: count() })
      .from(agentSources)
      .where(eq(agentSources.projectId, project ?? "proj_")),
  ]);
  return { owner: ofOwner?.count ?? 0, project: ofProject?.count ?? 0 };
}

/** The newest deployed source of an owner of each of some keys of components. At most 90. */
export async function newestSourcesOfKeys(
  db: Database,
  owner: OwnerId,
  keys: readonly string[],
): Promise<Map<string, Id<"source">>> {
  const rows = await db
    .select({ id: sources.id, key: components.key })
    .from(sources)
    .innerJoin(components, eq(components.id, sources.componentId))
    .where(
      and(
        eq(sources.ownerId, owner),
        eq(sources.state, "live"),
        inArray(components.key, keys.slice(0, 90)),
      ),
    )
    .orderBy(desc(sources.seq))
    .limit(500);
  return new Map(rows.toReversed().flatMap(({ id, key }) => (key === null ? [] : [[key, id]])));
}

function keyedQuery(db: Database, key: string) {
  return db
    .select({
      sourceId: agentSources.sourceId,
      claimedAt: agentSources.claimedAt,
      polledUntil: agentSources.polledUntil,
      createdAt: agentSources.createdAt,
      isLive: sql<number>`${IS_LIVE}`.as("is_live"),
    })
    .from(agentSources)
    .where(eq(agentSources.key, key));
}

function isKeyed(source: Id<"source">) {
  return and(eq(agentSources.sourceId, source), isNotNull(agentSources.key));
}

const IS_LIVE = sql`EXISTS (SELECT 1 FROM ${sources} AS s
  WHERE s.id = "agent_sources"."source_id" AND s.state = 'live')`;

const IS_SUBSCRIBED = sql`EXISTS (SELECT 1 FROM ${agentSubscriptions} AS a
  WHERE a.source_id = "agent_sources"."source_id")`;

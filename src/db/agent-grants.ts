import {
  and,
  desc,
  eq,
  gt,
  gte,
  inArray,
  isNull,
  lt,
  notExists,
  or,
  type SQL,
  sql,
} from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { agentGrants, agentTokens } from "./schema/agents.ts";

export type AgentGrant = typeof agentGrants.$inferSelect;
export type AgentToken = typeof agentTokens.$inferSelect;

/** Store a grant with its first token. */
export async function insertAgentGrant(
  db: Database,
  grant: AgentGrant,
  token: AgentToken,
): Promise<void> {
  await db.batch([db.insert(agentGrants).values(grant), db.insert(agentTokens).values(token)]);
}

/** A token that has not expired, with its grant; used ones included. */
export async function agentToken(
  db: Database,
  hash: string,
  now: number,
): Promise<{ token: AgentToken; grant: AgentGrant } | undefined> {
  const [found] = await db
    .select({ token: agentTokens, grant: agentGrants })
    .from(agentTokens)
    .innerJoin(agentGrants, eq(agentGrants.id, agentTokens.grantId))
    .where(
      and(
        eq(agentTokens.hash, hash),
        or(isNull(agentTokens.expiresAt), gt(agentTokens.expiresAt, now)),
      ),
    );
  return found;
}

/** Exchange a code or a refresh token for new tokens. False, and nothing is stored: it was exchanged before. */
export async function exchangeAgentToken(
  db: Database,
  { hash, at }: { hash: string; at: number },
  issued: readonly AgentToken[],
): Promise<boolean> {
  const isUnused = and(eq(agentTokens.hash, hash), isNull(agentTokens.usedAt));
  const rows = issued.map((one) => [one.hash, one.grantId, one.kind, one.expiresAt]);
  const [, used] = await db.batch([
    db.insert(agentTokens).select(
      sql`SELECT value ->> 0, value ->> 1, value ->> 2, NULL, NULL, value ->> 3
        FROM json_each(${JSON.stringify(rows)})
        WHERE EXISTS (SELECT 1 FROM ${agentTokens} WHERE ${isUnused})`,
    ),
    db
      .update(agentTokens)
      .set({ usedAt: at })
      .where(isUnused)
      .returning({ hash: agentTokens.hash }),
  ]);
  return used.length > 0;
}

/** The grants that a user made or gave, newest first. */
export function agentGrantsOf(
  db: Database,
  user: Id<"user">,
  limit: number,
): Promise<AgentGrant[]> {
  return db
    .select()
    .from(agentGrants)
    .where(eq(agentGrants.userId, user))
    .orderBy(desc(agentGrants.createdAt), agentGrants.id)
    .limit(limit);
}

/** Delete a grant with its tokens; if a user is named, only one of that user. Returns whether it existed. */
export async function deleteAgentGrant(
  db: Database,
  id: Id<"agent_grant">,
  user?: Id<"user">,
): Promise<boolean> {
  const isMeant = and(eq(agentGrants.id, id), user && eq(agentGrants.userId, user));
  const meant = db.select({ id: agentGrants.id }).from(agentGrants).where(isMeant);
  const [, deleted] = await db.batch([
    db.delete(agentTokens).where(inArray(agentTokens.grantId, meant)),
    db.delete(agentGrants).where(isMeant).returning({ id: agentGrants.id }),
  ]);
  return deleted.length > 0;
}

/** Delete expired tokens, and grants without any other. Returns the number of tokens. */
export async function deleteExpiredAgentTokens(db: Database, now: number): Promise<number> {
  const expired = db
    .select({ id: agentTokens.grantId })
    .from(agentTokens)
    .where(lt(agentTokens.expiresAt, now));
  const valid = db
    .select({ hash: agentTokens.hash })
    .from(agentTokens)
    .where(
      and(
        eq(agentTokens.grantId, agentGrants.id),
        or(isNull(agentTokens.expiresAt), gte(agentTokens.expiresAt, now)),
      ),
    );
  const [, deleted] = await db.batch([
    db.delete(agentGrants).where(and(inArray(agentGrants.id, expired), notExists(valid))),
    db
      .delete(agentTokens)
      .where(lt(agentTokens.expiresAt, now))
      .returning({ hash: agentTokens.hash }),
  ]);
  return deleted.length;
}

/** For a batch: delete grants, such as those of a departing owner, with their tokens. */
export function forgetAgentGrants(db: Database, which: SQL | undefined) {
  const theirs = db.select({ id: agentGrants.id }).from(agentGrants).where(which);
  return [
    db.delete(agentTokens).where(inArray(agentTokens.grantId, theirs)),
    db.delete(agentGrants).where(which),
  ] as const;
}

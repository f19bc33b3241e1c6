import { and, count, desc, eq, gt, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { WORKSPACES_OF_USER } from "./access.ts";
import type { Database } from "./client.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { consoleLinks, sessions } from "./schema/sessions.ts";
import { apiKeys, users } from "./schema/tables.ts";
import type { User } from "./users.ts";

export type Session = typeof sessions.$inferSelect;
export type NewSession = Omit<Session, "seq">;
export type ConsoleLink = typeof consoleLinks.$inferSelect;

/** A session, its user, and the workspaces of that user. */
export type OpenSession = { session: Session; user: User | null; workspaces: Id<"workspace">[] };

/** The session of a secret's hash, unless it has expired, or its user or API key was deleted. */
export async function sessionByHash(
  db: Database,
  hash: string,
  now: number,
): Promise<OpenSession | undefined> {
  const [found] = await db
    .select({ session: sessions, user: users, workspaces: WORKSPACES_OF_USER })
    .from(sessions)
    .leftJoin(users, and(eq(users.id, sessions.userId), isNull(users.deletedAt)))
    .leftJoin(apiKeys, eq(apiKeys.hash, sessions.keyHash))
    .where(
      and(
        eq(sessions.hash, hash),
        gt(sessions.expiresAt, now),
        or(isNull(sessions.userId), isNotNull(users.id)),
        or(isNull(sessions.keyHash), isNotNull(apiKeys.id)),
      ),
    );
  return found;
}

/** Store a session; replaces another one if a hash is given. */
export async function insertSession(
  db: Database,
  session: NewSession,
  former: string | undefined,
): Promise<void> {
  await db.batch([
    db.insert(sessions).values(session),
    db.delete(sessions).where(eq(sessions.hash, former ?? "")),
  ]);
}

/** Record that a session was used, unless that is recorded since `before`. */
export async function recordSessionUse(
  db: Database,
  id: Id<"session">,
  { at, before }: { at: number; before: number },
): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: at })
    .where(and(eq(sessions.id, id), lt(sessions.lastSeenAt, before)));
}

/** A page of a user's sessions that have not expired, newest first. */
export async function pageOfSessions(
  db: Database,
  { user, now }: { user: Id<"user">; now: number },
  request: PageRequest,
): Promise<Page<Session>> {
  const own = and(eq(sessions.userId, user), gt(sessions.expiresAt, now));
  const { within, order } = pageBounds(sessions.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(sessions).where(and(own, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(sessions).where(own),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** The hash of a user's session; undefined if the user has no such session. */
export async function sessionHashById(
  db: Database,
  user: Id<"user">,
  id: Id<"session">,
): Promise<string | undefined> {
  const [found] = await db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.userId, user)));
  return found?.hash;
}

/** Delete a session. Returns whether it existed. */
export async function deleteSession(db: Database, hash: string): Promise<boolean> {
  const deleted = await db
    .delete(sessions)
    .where(eq(sessions.hash, hash))
    .returning({ id: sessions.id });
  return deleted.length > 0;
}

/** The hashes of the sessions that were created with an API key. */
export async function sessionHashesOfKey(db: Database, keyHash: string): Promise<string[]> {
  const rows = await db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(eq(sessions.keyHash, keyHash));
  return rows.map(({ hash }) => hash);
}

/** The hashes of some expired sessions. */
export async function expiredSessions(db: Database, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .select({ hash: sessions.hash })
    .from(sessions)
    .where(lte(sessions.expiresAt, now))
    .orderBy(desc(sessions.expiresAt))
    .limit(limit);
  return rows.map(({ hash }) => hash);
}

/** Store a link that signs in once. False: its user does not exist. */
export async function insertConsoleLink(db: Database, link: ConsoleLink): Promise<boolean> {
  const { hash, userId, isOperator, createdAt, expiresAt } = link;
  if (userId === null) {
    await db.insert(consoleLinks).values(link);
    return true;
  }
  const inserted = await db
    .insert(consoleLinks)
    .select(
      db
        .select({
          hash: sql`${hash}`.as("hash"),
          userId: users.id,
          isOperator: sql`${isOperator ? 1 : 0}`.as("is_operator"),
          createdAt: sql`${createdAt}`.as("created_at"),
          expiresAt: sql`${expiresAt}`.as("expires_at"),
        })
        .from(users)
        .where(and(eq(users.id, userId), isNull(users.deletedAt))),
    )
    .returning({ hash: consoleLinks.hash });
  return inserted.length > 0;
}

/** Use up a link. Undefined: there is none, it was used before, or it has expired. */
export async function takeConsoleLink(
  db: Database,
  hash: string,
  now: number,
): Promise<ConsoleLink | undefined> {
  const [link] = await db
    .delete(consoleLinks)
    .where(and(eq(consoleLinks.hash, hash), gt(consoleLinks.expiresAt, now)))
    .returning();
  return link;
}

/** Delete expired links. Returns their number. */
export async function deleteExpiredConsoleLinks(db: Database, now: number): Promise<number> {
  const deleted = await db
    .delete(consoleLinks)
    .where(lte(consoleLinks.expiresAt, now))
    .returning({ hash: consoleLinks.hash });
  return deleted.length;
}

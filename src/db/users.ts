import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import { WORKSPACES_OF_USER } from "./access.ts";
import type { Database } from "./client.ts";
import { userEmails } from "./schema/derived.ts";
import { sessions } from "./schema/sessions.ts";
import { apiKeys, users } from "./schema/tables.ts";

export type User = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
export type ApiKey = typeof apiKeys.$inferSelect;

/** The user of a key, and the workspaces of that user. */
export type KeyOwner = {
  user: User;
  workspaces: Id<"workspace">[];
  lastUsedAt: number | null;
};

export async function userByKeyHash(db: Database, hash: string): Promise<KeyOwner | undefined> {
  const [row] = await db
    .select({ user: users, workspaces: WORKSPACES_OF_USER, lastUsedAt: apiKeys.lastUsedAt })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(and(eq(apiKeys.hash, hash), isNull(users.deletedAt)));
  return row;
}

/** A user, unless its deletion is under way. */
export async function userById(db: Database, id: Id<"user">): Promise<User | undefined> {
  const [user] = await db
    .select()
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return user;
}

/** The user with an e-mail address; undefined if there is none. */
export async function userByEmail(db: Database, email: string): Promise<User | undefined> {
  // Of letters beyond ASCII, two may have the same lower case.
  const address = email.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const [found] = await db
    .select({ user: users })
    .from(userEmails)
    .innerJoin(users, eq(users.id, userEmails.userId))
    .where(and(eq(userEmails.email, address), isNull(users.deletedAt)));
  return found?.user;
}

/** Store a user with a first key. False, and nothing is stored, if another user has the e-mail address. */
export async function insertUser(db: Database, user: NewUser, key: ApiKey): Promise<boolean> {
  const { id: userId, email } = user;
  try {
    await db.batch([
      db.insert(userEmails).values({ email: email.toLowerCase(), userId }),
      db.insert(users).values(user),
      db.insert(apiKeys).values(key),
    ]);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** Whether a query failed because the e-mail address is taken: the cause of its error contains it. */
export function isTaken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("UNIQUE constraint failed: user_emails") || isTaken(error.cause);
}

/** Store a further key of a user. False: there is no such user. */
export async function insertApiKey(db: Database, key: ApiKey): Promise<boolean> {
  const { id, hash, name, createdAt, lastUsedAt } = key;
  const inserted = await db
    .insert(apiKeys)
    .select(
      db
        .select({
          id: sql`${id}`.as("id"),
          hash: sql`${hash}`.as("hash"),
          userId: users.id,
          name: sql`${name}`.as("name"),
          createdAt: sql`${createdAt}`.as("created_at"),
          lastUsedAt: sql`${lastUsedAt}`.as("last_used_at"),
        })
        .from(users)
        .where(and(eq(users.id, key.userId), isNull(users.deletedAt))),
    )
    .returning({ id: apiKeys.id });
  return inserted.length > 0;
}

/** Record that a key was used, unless that is recorded since `before`. */
export async function recordKeyUse(
  db: Database,
  hash: string,
  { at, before }: { at: number; before: number },
): Promise<void> {
  await db
    .update(apiKeys)
    .set({ lastUsedAt: at })
    .where(
      and(eq(apiKeys.hash, hash), or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, before))),
    );
}

/** The keys of a user, newest first. */
export function apiKeysOf(db: Database, user: Id<"user">): Promise<ApiKey[]> {
  return db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.userId, user))
    .orderBy(desc(apiKeys.createdAt), apiKeys.id);
}

/** The hashes of a user's keys and sessions, which open streams. */
export async function keyHashesOf(db: Database, user: Id<"user">): Promise<string[]> {
  const [keys, open] = await db.batch([
    db.select({ hash: apiKeys.hash }).from(apiKeys).where(eq(apiKeys.userId, user)),
    db.select({ hash: sessions.hash }).from(sessions).where(eq(sessions.userId, user)),
  ]);
  return [...keys, ...open].map(({ hash }) => hash);
}

/** The hash of a key; undefined if there is no such key. */
export async function keyHashById(db: Database, id: Id<"api_key">): Promise<string | undefined> {
  const [key] = await db.select().from(apiKeys).where(eq(apiKeys.id, id));
  return key?.hash;
}

/** Delete a key. Returns whether it existed. */
export async function deleteApiKey(db: Database, id: Id<"api_key">): Promise<boolean> {
  const deleted = await db.delete(apiKeys).where(eq(apiKeys.id, id)).returning({ id: apiKeys.id });
  return deleted.length > 0;
}

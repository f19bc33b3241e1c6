import { and, eq, sql } from "drizzle-orm";

import type { Id } from "../domain/ids.ts";
import type { Database } from "./client.ts";
import { apiKeys, memberships, users } from "./schema.ts";

export type User = typeof users.$inferSelect;
export type NewUser = typeof users.$inferInsert;
export type ApiKey = typeof apiKeys.$inferSelect;

/** Whose a key is, and whether that user belongs to the workspace that was asked about. */
export type KeyOwner = { user: User; isMember: boolean };

export async function userByKeyHash(
  db: Database,
  hash: string,
  workspace: string,
): Promise<KeyOwner | undefined> {
  const membership = and(
    eq(memberships.userId, users.id),
    eq(memberships.workspaceId, sql`${workspace}`),
  );
  const [row] = await db
    .select({ user: users, workspace: memberships.workspaceId })
    .from(apiKeys)
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .leftJoin(memberships, membership)
    .where(eq(apiKeys.hash, hash));
  return row && { user: row.user, isMember: row.workspace !== null };
}

export async function userById(db: Database, id: Id<"user">): Promise<User | undefined> {
  const [user] = await db.select().from(users).where(eq(users.id, id));
  return user;
}

export async function insertUser(db: Database, user: NewUser, key: ApiKey): Promise<void> {
  await db.batch([db.insert(users).values(user), db.insert(apiKeys).values(key)]);
}

export async function insertApiKey(db: Database, key: ApiKey): Promise<void> {
  await db.insert(apiKeys).values(key);
}

/** Returns whether there was such a key to delete. */
export async function deleteApiKey(db: Database, id: Id<"api_key">): Promise<boolean> {
  const deleted = await db.delete(apiKeys).where(eq(apiKeys.id, id)).returning({ id: apiKeys.id });
  return deleted.length > 0;
}

import { and, eq, exists, isNull, notExists, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { type Account, type AccountChange, RENEWED } from "../accounts.ts";
import type { Database } from "../client.ts";
import { accounts } from "../schema/accounts.ts";
import { connectTokens } from "../schema/connect.ts";
import { insertNotifications, type Notification } from "./notifications.ts";

/** An account that a token connected, and the ids of the stored notifications about it. */
export type Connected = { account: Account; notified: string[] };

/**
 * Store the account that a connect token connects, the use of the token, and the notifications, in one transaction.
 * Undefined, and nothing is stored: the token had connected one before.
 */
export async function insertByToken(
  db: Database,
  hash: string,
  { account, notifications }: { account: Omit<Account, "seq">; notifications: Notification[] },
): Promise<Connected | undefined> {
  const [, , , stored, rows] = await db.batch([
    useToken(db, hash, account.id),
    db.insert(accounts).values(account),
    db.delete(accounts).where(and(eq(accounts.id, account.id), notExists(used(db, hash, account)))),
    insertNotifications(db, notifications, exists(used(db, hash, account))),
    db.select().from(accounts).where(eq(accounts.id, account.id)),
  ]);
  return connected(rows, stored);
}

/** As `insertByToken`, for reconnecting an account of the owner. Undefined also if it was deleted meanwhile. */
export async function renewByToken(
  db: Database,
  { hash, id, ownerId, at }: { hash: string; id: Id<"account">; ownerId: OwnerId; at: number },
  { change, notifications }: { change: AccountChange; notifications: Notification[] },
): Promise<Connected | undefined> {
  const own = and(eq(accounts.id, id), eq(accounts.ownerId, ownerId));
  const isThere = db.select({ id: accounts.id }).from(accounts).where(own);
  const isFree = and(eq(connectTokens.hash, hash), isNull(connectTokens.accountId));
  const isUnused = db.select({ hash: connectTokens.hash }).from(connectTokens).where(isFree);
  const [stored, rows] = await db.batch([
    // First, because the last statement ends the condition of the others.
    insertNotifications(db, notifications, sql`${exists(isThere)} AND ${exists(isUnused)}`),
    db
      .update(accounts)
      .set({ ...change, ...RENEWED, updatedAt: at })
      .where(and(own, exists(isUnused)))
      .returning(),
    db
      .update(connectTokens)
      .set({ accountId: id })
      .where(and(isFree, exists(isThere))),
  ]);
  return connected(rows, stored);
}

/**
 * Store the notifications of an attempt that connected nothing, while its token exists. Returns the ids of those
 * stored.
 */
export async function insertRefusal(
  db: Database,
  hash: string,
  notifications: Notification[],
): Promise<string[]> {
  const token = db
    .select({ hash: connectTokens.hash })
    .from(connectTokens)
    .where(eq(connectTokens.hash, hash));
  const stored = await insertNotifications(db, notifications, exists(token));
  return stored.map(({ id }) => id);
}

function connected([account]: Account[], stored: { id: string }[]): Connected | undefined {
  return account && { account, notified: stored.map(({ id }) => id) };
}

function useToken(db: Database, hash: string, accountId: Id<"account">) {
  return db
    .update(connectTokens)
    .set({ accountId })
    .where(and(eq(connectTokens.hash, hash), isNull(connectTokens.accountId)));
}

function used(db: Database, hash: string, { id }: Pick<Account, "id">) {
  return db
    .select({ hash: connectTokens.hash })
    .from(connectTokens)
    .where(and(eq(connectTokens.hash, hash), eq(connectTokens.accountId, id)));
}

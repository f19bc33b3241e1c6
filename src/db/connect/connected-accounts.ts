import { and, eq, exists, isNull, notExists } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import { type Account, type AccountChange, RENEWED } from "../accounts.ts";
import type { Database } from "../client.ts";
import { accounts } from "../schema/accounts.ts";
import { connectTokens } from "../schema/connect.ts";

/**
 * Store the account that a connect token connects, and that it did, in one transaction. Undefined, and nothing is
 * stored: the token had connected one before.
 */
export async function insertByToken(
  db: Database,
  hash: string,
  account: Omit<Account, "seq">,
): Promise<Account | undefined> {
  const [, , , rows] = await db.batch([
    useToken(db, hash, account.id),
    db.insert(accounts).values(account),
    db.delete(accounts).where(and(eq(accounts.id, account.id), notExists(used(db, hash, account)))),
    db.select().from(accounts).where(eq(accounts.id, account.id)),
  ]);
  return rows[0];
}

/** As `insertByToken`, for an account of the owner that is connected again. Undefined also where it was deleted meanwhile. */
export async function renewByToken(
  db: Database,
  { hash, id, ownerId, at }: { hash: string; id: Id<"account">; ownerId: OwnerId; at: number },
  change: AccountChange,
): Promise<Account | undefined> {
  const own = and(eq(accounts.id, id), eq(accounts.ownerId, ownerId));
  const isThere = db.select({ id: accounts.id }).from(accounts).where(own);
  const isFree = and(eq(connectTokens.hash, hash), isNull(connectTokens.accountId));
  const isUnused = db.select({ hash: connectTokens.hash }).from(connectTokens).where(isFree);
  const [rows] = await db.batch([
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
  return rows[0];
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

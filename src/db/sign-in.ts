import { and, eq, exists, isNull, notExists, sql } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";

import { isAccessible } from "./access.ts";
import { type Account, type AccountChange, RENEWED } from "./accounts.ts";
import type { Database } from "./client.ts";
import { accounts } from "./schema/accounts.ts";
import { authorizations } from "./schema/connect.ts";
import { users, workspaces } from "./schema/tables.ts";

/** A sign-in link, by the hash of its token, and the user who made it. */
export type LinkOfUser = { hash: string; user: ActorId };

/** The name of a user, or of a workspace that the user belongs to. Undefined: it is another owner. */
export async function nameOfOwner(
  db: Database,
  user: ActorId,
  owner: OwnerId,
): Promise<string | undefined> {
  const [[person], [workspace]] = await db.batch([
    db
      .select({ name: users.username })
      .from(users)
      .where(and(eq(users.id, sql`${owner}`), isAccessible(db, users.id, user))),
    db
      .select({ name: workspaces.name })
      .from(workspaces)
      .where(and(eq(workspaces.id, sql`${owner}`), isAccessible(db, workspaces.id, user))),
  ]);
  return (person ?? workspace)?.name;
}

/**
 * Store the account that a sign-in link connects, and use the link up, in one transaction. Undefined, and nothing is
 * stored: the link was used before, or its user has left the workspace.
 */
export async function insertBySignIn(
  db: Database,
  link: LinkOfUser,
  account: Omit<Account, "seq">,
): Promise<Account | undefined> {
  const stored = db.select().from(accounts).where(eq(accounts.id, account.id));
  const [, , , rows] = await db.batch([
    db.insert(accounts).values(account),
    db.delete(accounts).where(and(eq(accounts.id, account.id), notExists(usable(db, link)))),
    db.delete(authorizations).where(and(isLink(link), exists(stored))),
    stored,
  ]);
  return rows[0];
}

/** As `insertBySignIn`, for reconnecting an account of the owner. Undefined also if it was deleted meanwhile. */
export async function renewBySignIn(
  db: Database,
  link: LinkOfUser,
  { id, ownerId, at }: { id: Id<"account">; ownerId: OwnerId; at: number },
  change: AccountChange,
): Promise<Account | undefined> {
  const own = and(eq(accounts.id, id), eq(accounts.ownerId, ownerId));
  const isThere = db.select({ id: accounts.id }).from(accounts).where(own);
  const [rows] = await db.batch([
    db
      .update(accounts)
      .set({ ...change, ...RENEWED, updatedAt: at })
      .where(and(own, exists(usable(db, link))))
      .returning(),
    db.delete(authorizations).where(and(isUsable(db, link), exists(isThere))),
  ]);
  return rows[0];
}

function usable(db: Database, link: LinkOfUser) {
  return db
    .select({ hash: authorizations.stateHash })
    .from(authorizations)
    .where(isUsable(db, link));
}

/** Whether it was not used yet, and its user may still create accounts for its owner. */
function isUsable(db: Database, link: LinkOfUser) {
  return and(isLink(link), isAccessible(db, authorizations.ownerId, link.user));
}

function isLink({ hash }: LinkOfUser) {
  return and(eq(authorizations.stateHash, hash), isNull(authorizations.tokenHash));
}

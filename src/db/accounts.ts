import { and, count, eq, inArray, type SQL, sql } from "drizzle-orm";

import type { ActorId, Id, OwnerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "./access.ts";
import type { Database } from "./client.ts";
import { filterOf, newestFirst, pageBounds } from "./page.ts";
import { accounts } from "./schema/accounts.ts";

export type Account = typeof accounts.$inferSelect;

/** The filter of a list of accounts: owner, app, and user at the provider. */
export type AccountFilter = {
  owner?: OwnerId | undefined;
  app?: string | undefined;
  externalId?: string | undefined;
  /** A part of name, id or app. */
  q?: string | undefined;
};

export type AccountChange = Partial<
  Pick<
    Account,
    | "name"
    | "externalId"
    | "credentials"
    | "keyId"
    | "expiresAt"
    | "refreshAt"
    | "oauthAppId"
    | "scopes"
  >
>;

export async function insertAccount(db: Database, account: Omit<Account, "seq">): Promise<Account> {
  const [inserted] = await db.insert(accounts).values(account).returning();
  if (!inserted) throw new Error(`The row of ${account.id} was not written`);
  return inserted;
}

/** An account that the user may see; without a user, any. */
export async function accountById(
  db: Database,
  id: Id<"account">,
  user?: ActorId,
): Promise<Account | undefined> {
  const [account] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), user && isAccessible(db, accounts.ownerId, user)));
  return account;
}

/** Filter accounts by owner. At most a hundred per query. */
export function accountsOwnedBy(
  db: Database,
  owner: OwnerId,
  ids: readonly Id<"account">[],
): Promise<Pick<Account, "id" | "app">[]> {
  return db
    .select({ id: accounts.id, app: accounts.app })
    .from(accounts)
    .where(and(eq(accounts.ownerId, owner), inArray(accounts.id, ids.slice(0, 99))));
}

/** The fields of an account that show whether a credential of it still works. */
export type AccountState = Pick<Account, "ownerId" | "dead" | "error" | "expiresAt">;

/** Maximum ids in a query. */
const IDS_A_QUERY = 90;

/** The states of accounts by id; a missing account has none. */
export async function accountStates(
  db: Database,
  ids: readonly Id<"account">[],
): Promise<Map<Id<"account">, AccountState>> {
  const { id, ownerId, dead, error, expiresAt } = accounts;
  const found = new Map<Id<"account">, AccountState>();
  for (let at = 0; at < ids.length; at += IDS_A_QUERY) {
    const rows = await db
      .select({ id, ownerId, dead, error, expiresAt })
      .from(accounts)
      .where(inArray(id, ids.slice(at, at + IDS_A_QUERY)));
    for (const { id: accountId, ...state } of rows) found.set(accountId, state);
  }
  return found;
}

export async function pageOfAccounts(
  db: Database,
  filter: AccountFilter,
  request: PageRequest,
): Promise<Page<Account>> {
  const wanted = matching(filter);
  const { within, order } = pageBounds(accounts.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(accounts).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(accounts).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

function matching({ owner, app, externalId, q }: AccountFilter): SQL | undefined {
  return and(
    owner && eq(accounts.ownerId, owner),
    app === undefined ? undefined : eq(accounts.app, app),
    externalId === undefined ? undefined : eq(accounts.externalId, externalId),
    filterOf({}, [accounts.name, accounts.id, accounts.app], { q }),
  );
}

/** Change an account. New credentials count as valid until a use of them fails. Undefined: there is no such account. */
export async function updateAccount(
  db: Database,
  { id, at }: { id: Id<"account">; at: number },
  change: AccountChange,
): Promise<Account | undefined> {
  const [updated] = await db
    .update(accounts)
    .set({ ...change, ...(change.credentials !== undefined && RENEWED), updatedAt: at })
    .where(eq(accounts.id, id))
    .returning();
  return updated;
}

/** Store the result of a refresh. Returns false, and stores nothing, if the credentials were changed meanwhile. */
export async function recordRefresh(
  db: Database,
  { id, version, at }: Pick<Account, "id" | "version"> & { at: number },
  change:
    | (AccountChange & { refreshedAt: number })
    | { error: string; errorAt: number; dead: boolean },
): Promise<boolean> {
  const updated = await db
    .update(accounts)
    .set({ ...change, ...("credentials" in change && RENEWED), updatedAt: at })
    .where(and(eq(accounts.id, id), eq(accounts.version, version)))
    .returning({ id: accounts.id });
  return updated.length > 0;
}

/** Changes of other fields of an account with its credentials. */
export const RENEWED = { version: sql`version + 1`, error: null, errorAt: null, dead: false };

/** Some of an owner's accounts, to be deleted. */
export function accountsToDelete(
  db: Database,
  owner: OwnerId,
  limit: number,
): Promise<Pick<Account, "id" | "app" | "ownerId">[]> {
  const { id, app, ownerId } = accounts;
  return db.select({ id, app, ownerId }).from(accounts).where(eq(ownerId, owner)).limit(limit);
}

/** Delete accounts, at most 90. Returns whether one existed. */
export async function deleteAccounts(
  db: Database,
  ids: readonly Id<"account">[],
): Promise<boolean> {
  const deleted = await db
    .delete(accounts)
    .where(inArray(accounts.id, ids.slice(0, IDS_A_QUERY)))
    .returning({ id: accounts.id });
  return deleted.length > 0;
}

/** Replace credentials by the same ones under a new seal. False: they were changed meanwhile. */
export async function resealAccount(
  db: Database,
  { id, credentials }: Pick<Account, "id" | "credentials">,
  renewed: Pick<Account, "credentials" | "keyId">,
): Promise<boolean> {
  const updated = await db
    .update(accounts)
    .set(renewed)
    .where(and(eq(accounts.id, id), eq(accounts.credentials, credentials)))
    .returning({ id: accounts.id });
  return updated.length > 0;
}

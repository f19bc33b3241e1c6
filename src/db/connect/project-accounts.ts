import { and, count, eq, inArray, type SQL } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Account } from "../accounts.ts";
import type { Database } from "../client.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { accounts } from "../schema/accounts.ts";
import { type Place, usersIn } from "./external-users.ts";

/** The accounts of one external user, or of all in an environment of a project. */
export type AccountScope = Place & { user?: Id<"external_user"> | undefined };

/** Absent: accounts of any app, and by any client at the provider. */
export type ProjectAccountFilter = {
  app?: string | undefined;
  oauthAppId?: Id<"oauth_app"> | undefined;
};

/** A page of accounts, newest first. */
export async function pageOfProjectAccounts(
  db: Database,
  scope: AccountScope,
  { app, oauthAppId, ...request }: PageRequest & ProjectAccountFilter,
): Promise<Page<Account>> {
  const wanted = and(
    ownedWithin(db, scope),
    app === undefined ? undefined : eq(accounts.app, app),
    oauthAppId && eq(accounts.oauthAppId, oauthAppId),
  );
  const { within, order } = pageBounds(accounts.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(accounts).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(accounts).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** An account within a scope. */
export async function projectAccount(
  db: Database,
  scope: AccountScope,
  id: Id<"account">,
): Promise<Account | undefined> {
  const [account] = await db
    .select()
    .from(accounts)
    .where(and(eq(accounts.id, id), ownedWithin(db, scope)));
  return account;
}

/** Some accounts of an app within a scope, to be deleted. */
export function projectAccountsToDelete(
  db: Database,
  scope: AccountScope,
  { app, limit }: { app: string; limit: number },
): Promise<Pick<Account, "id" | "app" | "ownerId">[]> {
  const { id, ownerId } = accounts;
  return db
    .select({ id, app: accounts.app, ownerId })
    .from(accounts)
    .where(and(eq(accounts.app, app), ownedWithin(db, scope)))
    .limit(limit);
}

function ownedWithin(db: Database, { user, ...place }: AccountScope): SQL | undefined {
  return user ? eq(accounts.ownerId, user) : inArray(accounts.ownerId, usersIn(db, place));
}

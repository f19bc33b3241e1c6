import { and, asc, count, eq, getTableColumns, isNull, or, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "./client.ts";
import { contains } from "./contains.ts";
import { newestFirst, pageBounds } from "./page.ts";
import { userEmails } from "./schema/derived.ts";
import { apiKeys, memberships, sources, users, workflows } from "./schema/tables.ts";
import { isTaken, type User } from "./users.ts";

/** A user with the numbers of the user's resources. `seq`: the place in the order of creation. */
export type ListedUser = User & {
  seq: number;
  keys: number;
  sources: number;
  workflows: number;
  workspaces: number;
};
export type UserChange = Partial<Pick<User, "username" | "email" | "plan">>;
/** A key, without its hash. */
export type ListedKey = Pick<
  typeof apiKeys.$inferSelect,
  "id" | "name" | "createdAt" | "lastUsedAt"
>;

/** Users have no numbers of their own: SQLite numbers their rows in the order of creation. */
const seq = sql<number>`"users".rowid`.mapWith(Number);

const listed = {
  ...getTableColumns(users),
  seq: seq.as("seq"),
  keys: sql<number>`(SELECT count(*) FROM ${apiKeys} AS k WHERE k.user_id = "users".id)`,
  sources: sql<number>`(SELECT count(*) FROM ${sources} AS s WHERE s.owner_id = "users".id AND s.state = 'live')`,
  workflows: sql<number>`(SELECT count(*) FROM ${workflows} AS w WHERE w.owner_id = "users".id)`,
  workspaces: sql<number>`(SELECT count(*) FROM ${memberships} AS m WHERE m.user_id = "users".id)`,
};

/** A page of users, newest first; `q`: part of an id, an e-mail address or a name. */
export async function pageOfUsers(
  db: Database,
  { q, ...request }: PageRequest & { q?: string | undefined },
): Promise<Page<ListedUser>> {
  const found =
    q === undefined
      ? undefined
      : or(contains(users.id, q), contains(users.email, q), contains(users.username, q));
  const wanted = and(isNull(users.deletedAt), found);
  const { within, order } = pageBounds(seq, request);
  const [items, [total]] = await db.batch([
    db.select(listed).from(users).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(users).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

export async function listedUser(db: Database, id: Id<"user">): Promise<ListedUser | undefined> {
  const [user] = await db
    .select(listed)
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  return user;
}

/** Change a user. False, and nothing is changed, if another user has the e-mail address. */
export async function updateUser(
  db: Database,
  id: Id<"user">,
  change: UserChange & { updatedAt: number },
): Promise<boolean> {
  const isThere = and(eq(users.id, id), isNull(users.deletedAt));
  const update = db.update(users).set(change).where(isThere);
  if (change.email === undefined) {
    await update;
    return true;
  }
  const address = change.email.toLowerCase();
  // Users may share an address from before addresses were unique: it may be sent again unchanged.
  const moved = and(isThere, sql`lower(${users.email}) <> ${address}`);
  try {
    await db.batch([
      db
        .delete(userEmails)
        .where(
          and(
            eq(userEmails.userId, id),
            sql`${userEmails.email} IN (SELECT lower(${users.email}) FROM ${users} WHERE ${moved})`,
          ),
        ),
      db.insert(userEmails).select(
        db
          .select({ email: sql<string>`${address}`.as("email"), userId: users.id })
          .from(users)
          .where(moved),
      ),
      update,
    ]);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

/** The keys of a user, oldest first; undefined if there is no such user. */
export async function keysOf(db: Database, user: Id<"user">): Promise<ListedKey[] | undefined> {
  const [found, keys] = await db.batch([
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user), isNull(users.deletedAt))),
    db
      .select({
        id: apiKeys.id,
        name: apiKeys.name,
        createdAt: apiKeys.createdAt,
        lastUsedAt: apiKeys.lastUsedAt,
      })
      .from(apiKeys)
      .where(eq(apiKeys.userId, user))
      .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id)),
  ]);
  return found.length === 0 ? undefined : keys;
}

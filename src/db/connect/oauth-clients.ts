import { and, count, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";

import type { ActorId, Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "../access.ts";
import type { Database } from "../client.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { oauthClients, oauthTokens } from "../schema/connect.ts";

export type OauthClient = typeof oauthClients.$inferSelect;
export type OauthToken = typeof oauthTokens.$inferSelect;

export async function insertOauthClient(
  db: Database,
  client: Omit<OauthClient, "seq">,
): Promise<OauthClient> {
  const [inserted] = await db.insert(oauthClients).values(client).returning();
  if (!inserted) throw new Error(`The row of ${client.id} was not written`);
  return inserted;
}

/** The client of an id and of the hash of its secret. */
export async function oauthClientBySecret(
  db: Database,
  { id, secretHash }: { id: string; secretHash: string },
): Promise<OauthClient | undefined> {
  const [client] = await db
    .select()
    .from(oauthClients)
    .where(and(eq(oauthClients.id, sql`${id}`), eq(oauthClients.secretHash, secretHash)));
  return client;
}

/** The clients of a user and of the user's workspaces. */
export async function pageOfOauthClients(
  db: Database,
  user: ActorId,
  request: PageRequest,
): Promise<Page<OauthClient>> {
  const wanted = isAccessible(db, oauthClients.ownerId, user);
  const { within, order } = pageBounds(oauthClients.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(oauthClients).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(oauthClients).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Revoke a client that a user may see, with its tokens. Returns whether it existed. */
export async function deleteOauthClient(
  db: Database,
  user: ActorId,
  id: Id<"oauth_client">,
): Promise<boolean> {
  const isTheirs = and(eq(oauthClients.id, id), isAccessible(db, oauthClients.ownerId, user));
  const [, deleted] = await db.batch(deleteClients(db, isTheirs));
  return deleted.length > 0;
}

/** For a batch: delete some clients, with their tokens. */
export function deleteClients(db: Database, which: SQL | undefined) {
  const clients = db.select({ id: oauthClients.id }).from(oauthClients).where(which);
  return [
    db.delete(oauthTokens).where(inArray(oauthTokens.clientId, clients)),
    db.delete(oauthClients).where(which).returning({ id: oauthClients.id }),
  ] as const;
}

export async function insertOauthToken(db: Database, token: OauthToken): Promise<void> {
  await db.insert(oauthTokens).values(token);
}

/** The client of a token, and the token's scope; undefined if it is unknown or has expired. */
export async function clientByToken(
  db: Database,
  hash: string,
  now: number,
): Promise<{ client: OauthClient; scope: string } | undefined> {
  const [found] = await db
    .select({ client: oauthClients, scope: oauthTokens.scope })
    .from(oauthTokens)
    .innerJoin(oauthClients, eq(oauthClients.id, oauthTokens.clientId))
    .where(and(eq(oauthTokens.hash, hash), gt(oauthTokens.expiresAt, now)));
  return found;
}

/** Delete expired tokens. Returns their number. */
export async function deleteExpiredOauthTokens(db: Database, now: number): Promise<number> {
  const deleted = await db
    .delete(oauthTokens)
    .where(lt(oauthTokens.expiresAt, now))
    .returning({ hash: oauthTokens.hash });
  return deleted.length;
}

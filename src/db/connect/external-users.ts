import { and, count, eq, inArray, isNull, type SQL } from "drizzle-orm";

import type { Environment } from "#domain/connect.ts";
import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "../client.ts";
import { contains } from "../contains.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { externalUsers } from "../schema/connect.ts";

export type ExternalUser = typeof externalUsers.$inferSelect;

/** One environment of a project. */
export type Place = { project: Id<"project">; environment: Environment };

/** The external user with an id of the customer's; undefined if there is none yet. */
export async function externalUserOf(
  db: Database,
  place: Place,
  externalId: string,
): Promise<ExternalUser | undefined> {
  const [user] = await db
    .select()
    .from(externalUsers)
    .where(and(inPlace(place), eq(externalUsers.externalId, externalId)));
  return user;
}

/** An external user by our own id, in its place. */
export async function externalUserById(
  db: Database,
  place: Place,
  id: Id<"external_user">,
): Promise<ExternalUser | undefined> {
  const [user] = await db
    .select()
    .from(externalUsers)
    .where(and(inPlace(place), eq(externalUsers.id, id)));
  return user;
}

/** The customer's ids of external users, by our own. At most a hundred. */
export async function externalIdsOf(
  db: Database,
  ids: readonly Id<"external_user">[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .select({ id: externalUsers.id, externalId: externalUsers.externalId })
    .from(externalUsers)
    .where(inArray(externalUsers.id, ids.slice(0, 100)));
  return new Map(rows.map(({ id, externalId }) => [id, externalId]));
}

/** The external user with an id of the customer's; created if there is none yet. */
export async function ensureExternalUser(
  db: Database,
  user: Omit<ExternalUser, "seq">,
): Promise<ExternalUser> {
  const place = { project: user.projectId, environment: user.environment };
  const known = await externalUserOf(db, place, user.externalId);
  if (known) return known;
  await db.insert(externalUsers).values(user).onConflictDoNothing();
  const made = await externalUserOf(db, place, user.externalId);
  if (!made) throw new Error(`The row of ${user.id} was not written`);
  return made;
}

/** A page of external users, newest first; `q`: part of the customer's ids. */
export async function pageOfExternalUsers(
  db: Database,
  place: Place,
  { q, ...request }: PageRequest & { q?: string | undefined },
): Promise<Page<ExternalUser>> {
  const id = q === undefined ? undefined : contains(externalUsers.externalId, q);
  const wanted = and(inPlace(place), id);
  const { within, order } = pageBounds(externalUsers.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(externalUsers).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(externalUsers).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Hide an external user; the sweep deletes the user's resources. Returns whether the user existed. */
export async function hideExternalUser(
  db: Database,
  place: Place,
  { externalId, at }: { externalId: string; at: number },
): Promise<ExternalUser | undefined> {
  const [hidden] = await db
    .update(externalUsers)
    .set({ deletedAt: at })
    .where(and(inPlace(place), eq(externalUsers.externalId, externalId)))
    .returning();
  return hidden;
}

/** The ids of the external users in a place that match a condition, as a subquery; of all without one. */
export function usersIn(db: Database, place: Place, wanted?: SQL) {
  return db
    .select({ id: externalUsers.id })
    .from(externalUsers)
    .where(and(inPlace(place), wanted));
}

function inPlace({ project, environment }: Place) {
  return and(
    eq(externalUsers.projectId, project),
    eq(externalUsers.environment, environment),
    isNull(externalUsers.deletedAt),
  );
}

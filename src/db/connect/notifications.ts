import { and, count, eq, isNull, lte, type SQL, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "../client.ts";
import {
  connectNotifications,
  externalUsers,
  projects,
  projectWebhooks,
} from "../schema/connect.ts";
import type { Place } from "./external-users.ts";

export type Notification = typeof connectNotifications.$inferSelect;

/** The destination of a notification, and the sealed key that signs it; null: it is not signed. */
export type Destination = { url: string; signingKey: string | null };

/**
 * A statement that stores notifications if a condition holds: those for the webhook of an environment only if there is
 * one. It returns the ids of those stored.
 */
export function insertNotifications(
  db: Database,
  notifications: readonly Notification[],
  condition: SQL,
) {
  return db
    .insert(connectNotifications)
    .select(
      sql`
        SELECT n.value ->> 'id', n.value ->> 'externalUserId', n.value ->> 'projectId', n.value ->> 'environment',
          n.value ->> 'url', n.value ->> 'body', n.value ->> 'keyId', n.value ->> 'attempts',
          n.value ->> 'nextAttemptAt', n.value ->> 'createdAt'
        FROM json_each(${JSON.stringify(notifications)}) AS n
        WHERE ${condition} AND (n.value ->> 'url' IS NOT NULL OR EXISTS (
          SELECT 1 FROM ${projectWebhooks} AS w
          WHERE w.project_id = n.value ->> 'projectId' AND w.environment = n.value ->> 'environment'))`,
    )
    .returning({ id: connectNotifications.id });
}

/** The number of notifications about a user that wait for delivery. */
export async function waitingNotifications(
  db: Database,
  user: Id<"external_user">,
): Promise<number> {
  const [found] = await db
    .select({ count: count() })
    .from(connectNotifications)
    .where(eq(connectNotifications.externalUserId, user));
  return found?.count ?? 0;
}

/** The due notifications. The first of each project come first: no project keeps others waiting. */
export async function dueNotifications(
  db: Database,
  now: number,
  limit: number,
): Promise<string[]> {
  const rows = await db.all<{ id: string }>(sql`
    SELECT id FROM (
      SELECT id, next_attempt_at, row_number() OVER (PARTITION BY project_id ORDER BY next_attempt_at) AS turn
      FROM ${connectNotifications} WHERE next_attempt_at <= ${now})
    ORDER BY turn, next_attempt_at LIMIT ${limit}`);
  return rows.map(({ id }) => id);
}

/** Lease a due notification, so that no other sender takes it until then. Undefined: another sender has. */
export async function leaseNotification(
  db: Database,
  id: string,
  { now, until }: { now: number; until: number },
): Promise<Notification | undefined> {
  const [leased] = await db
    .update(connectNotifications)
    .set({ nextAttemptAt: until })
    .where(and(eq(connectNotifications.id, id), lte(connectNotifications.nextAttemptAt, now)))
    .returning();
  return leased;
}

/** The current destination of a notification; undefined if the webhook, the user or the project was deleted. */
export async function destinationOf(
  db: Database,
  { externalUserId, url }: Pick<Notification, "externalUserId" | "url">,
): Promise<Destination | undefined> {
  const [found] = await db
    .select({ url: projectWebhooks.url, signingKey: projectWebhooks.signingKey })
    .from(externalUsers)
    .innerJoin(projects, eq(projects.id, externalUsers.projectId))
    .leftJoin(
      projectWebhooks,
      and(
        eq(projectWebhooks.projectId, externalUsers.projectId),
        eq(projectWebhooks.environment, externalUsers.environment),
      ),
    )
    .where(
      and(
        eq(externalUsers.id, externalUserId),
        isNull(externalUsers.deletedAt),
        isNull(projects.deletedAt),
      ),
    );
  if (!found) return undefined;
  if (url !== null) return { url, signingKey: null };
  return found.url === null ? undefined : { url: found.url, signingKey: found.signingKey };
}

/** Delete a notification that needs no further attempt. */
export async function deleteNotification(db: Database, id: string): Promise<void> {
  await db.delete(connectNotifications).where(eq(connectNotifications.id, id));
}

/**
 * Store that an attempt failed, and the time of the next one; null: there is none. Changes nothing if another sender
 * has the lease.
 */
export async function recordFailure(
  db: Database,
  { id, attempts, nextAttemptAt: leasedUntil }: Notification,
  nextAttemptAt: number | null,
): Promise<void> {
  const own = and(
    eq(connectNotifications.id, id),
    eq(connectNotifications.nextAttemptAt, leasedUntil),
  );
  await (nextAttemptAt === null
    ? db.delete(connectNotifications).where(own)
    : db
        .update(connectNotifications)
        .set({ attempts: attempts + 1, nextAttemptAt })
        .where(own));
}

/** A statement that deletes the pending notifications for the webhook of an environment. */
export function deleteNotificationsOf(db: Database, { project, environment }: Place) {
  return db
    .delete(connectNotifications)
    .where(
      and(
        eq(connectNotifications.projectId, project),
        eq(connectNotifications.environment, environment),
        isNull(connectNotifications.url),
      ),
    );
}

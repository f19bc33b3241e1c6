import { and, eq, gt, lte, max, sql } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";

import type { Database } from "../client.ts";
import { appOverrides, connectNotifications, projectOauthApps } from "../schema/connect.ts";

/** A sealed text and its owner. */
export type SealedClient = { id: Id<"oauth_app">; sealed: string };
export type SealedOverride = { id: Id<"app_override">; sealed: string };
export type SealedNotification = { id: string; sealed: string };

/** The order of creation of rows in a table without a column for it. */
const rowid = sql<number>`rowid`;

/**
 * The sealed texts in a stretch of all projects' clients, overrides and notifications. `isLast`: whether the stretch is
 * the last one.
 */
export async function sealedOfProjects(
  db: Database,
  { after, upTo }: { after: number; upTo: number },
): Promise<{
  clients: SealedClient[];
  overrides: SealedOverride[];
  notifications: SealedNotification[];
  isLast: boolean;
}> {
  const [clients, overrides, notifications, ...lasts] = await db.batch([
    db
      .select({ id: projectOauthApps.id, sealed: projectOauthApps.clientSecret })
      .from(projectOauthApps)
      .where(and(gt(projectOauthApps.seq, after), lte(projectOauthApps.seq, upTo))),
    db
      .select({ id: appOverrides.id, sealed: appOverrides.fields })
      .from(appOverrides)
      .where(and(gt(appOverrides.seq, after), lte(appOverrides.seq, upTo))),
    db
      .select({ id: connectNotifications.id, sealed: connectNotifications.body })
      .from(connectNotifications)
      .where(and(gt(rowid, after), lte(rowid, upTo))),
    db.select({ seq: sql<number | null>`max(rowid)` }).from(connectNotifications),
    db.select({ seq: max(projectOauthApps.seq) }).from(projectOauthApps),
    db.select({ seq: max(appOverrides.seq) }).from(appOverrides),
  ]);
  const isLast = lasts.every(([last]) => upTo >= (last?.seq ?? 0));
  return { clients, overrides, notifications, isLast };
}

/** Replace a client's secret by the same one under a new seal. False: it was changed meanwhile. */
export async function resealClient(
  db: Database,
  { id, sealed }: SealedClient,
  renewed: { sealed: string; keyId: string },
): Promise<boolean> {
  const updated = await db
    .update(projectOauthApps)
    .set({ clientSecret: renewed.sealed, keyId: renewed.keyId })
    .where(and(eq(projectOauthApps.id, id), eq(projectOauthApps.clientSecret, sealed)))
    .returning({ id: projectOauthApps.id });
  return updated.length > 0;
}

/** As `resealClient`, for the fields of an override. */
export async function resealOverride(
  db: Database,
  { id, sealed }: SealedOverride,
  renewed: { sealed: string; keyId: string },
): Promise<boolean> {
  const updated = await db
    .update(appOverrides)
    .set({ fields: renewed.sealed, keyId: renewed.keyId })
    .where(and(eq(appOverrides.id, id), eq(appOverrides.fields, sealed)))
    .returning({ id: appOverrides.id });
  return updated.length > 0;
}

/** As `resealClient`, for the body of a notification. */
export async function resealNotification(
  db: Database,
  { id, sealed }: SealedNotification,
  renewed: { sealed: string; keyId: string },
): Promise<boolean> {
  const updated = await db
    .update(connectNotifications)
    .set({ body: renewed.sealed, keyId: renewed.keyId })
    .where(and(eq(connectNotifications.id, id), eq(connectNotifications.body, sealed)))
    .returning({ id: connectNotifications.id });
  return updated.length > 0;
}

import { and, asc, eq } from "drizzle-orm";

import type { Database } from "./client.ts";
import { oauthApps } from "./schema/accounts.ts";

export type OauthApp = typeof oauthApps.$inferSelect;

/** Keep the settings of an app, in place of those that it had. */
export async function putOauthApp(db: Database, settings: OauthApp): Promise<OauthApp> {
  const { createdAt: _, ...changed } = settings;
  const [put] = await db
    .insert(oauthApps)
    .values(settings)
    .onConflictDoUpdate({ target: oauthApps.app, set: changed })
    .returning();
  if (!put) throw new Error(`The settings of ${settings.app} were not written`);
  return put;
}

export async function oauthApp(db: Database, app: string): Promise<OauthApp | undefined> {
  const [found] = await db.select().from(oauthApps).where(eq(oauthApps.app, app));
  return found;
}

export function allOauthApps(db: Database): Promise<OauthApp[]> {
  return db.select().from(oauthApps).orderBy(asc(oauthApps.app));
}

/** Returns whether there were such settings to delete. */
export async function deleteOauthApp(db: Database, app: string): Promise<boolean> {
  const deleted = await db.delete(oauthApps).where(eq(oauthApps.app, app)).returning();
  return deleted.length > 0;
}

/** Put the same client secret, sealed anew, in place of the one that was read. False: it was changed meanwhile. */
export async function resealOauthApp(
  db: Database,
  { app, clientSecret }: Pick<OauthApp, "app" | "clientSecret">,
  renewed: Pick<OauthApp, "clientSecret" | "keyId">,
): Promise<boolean> {
  const updated = await db
    .update(oauthApps)
    .set(renewed)
    .where(and(eq(oauthApps.app, app), eq(oauthApps.clientSecret, clientSecret)))
    .returning({ app: oauthApps.app });
  return updated.length > 0;
}

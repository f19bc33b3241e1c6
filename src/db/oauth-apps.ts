import { and, asc, eq, inArray } from "drizzle-orm";

import type { Database } from "./client.ts";
import { oauthApps } from "./schema/accounts.ts";

export type OauthApp = typeof oauthApps.$inferSelect;

/** Store the settings of an app; replaces existing ones. */
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

/** The client of an app, or of the first of its siblings that has one. `siblings`: slugs, that of the app first. */
export async function sharedOauthApp(
  db: Database,
  siblings: readonly string[],
): Promise<OauthApp | undefined> {
  const rows = await db
    .select()
    .from(oauthApps)
    .where(inArray(oauthApps.app, siblings.slice(0, 90)));
  return firstClient(rows, siblings);
}

/** Of some clients, that of the first of these siblings that has one. */
export function firstClient(
  clients: readonly OauthApp[],
  siblings: readonly string[],
): OauthApp | undefined {
  const bySlug = new Map(clients.map((client) => [client.app, client]));
  return siblings.map((slug) => bySlug.get(slug)).find((client) => client !== undefined);
}

export function allOauthApps(db: Database): Promise<OauthApp[]> {
  return db.select().from(oauthApps).orderBy(asc(oauthApps.app));
}

/** Delete the settings of an app. Returns whether they existed. */
export async function deleteOauthApp(db: Database, app: string): Promise<boolean> {
  const deleted = await db.delete(oauthApps).where(eq(oauthApps.app, app)).returning();
  return deleted.length > 0;
}

/** Replace a client secret by the same one under a new seal. False: it was changed meanwhile. */
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

import { eq, inArray } from "drizzle-orm";

import type { Database } from "../client.ts";
import { apps, componentApps } from "../schema/connect.ts";

export type AppRow = typeof apps.$inferSelect;

/** Store the operator's settings of an app; replaces existing ones. */
export async function putApp(db: Database, app: AppRow): Promise<AppRow> {
  const { createdAt: _, ...changed } = app;
  const [put] = await db
    .insert(apps)
    .values(app)
    .onConflictDoUpdate({ target: apps.slug, set: changed })
    .returning();
  if (!put) throw new Error(`The settings of ${app.slug} were not written`);
  return put;
}

/** Delete the operator's settings of an app. Returns whether there were any. */
export async function deleteApp(db: Database, slug: string): Promise<boolean> {
  const deleted = await db.delete(apps).where(eq(apps.slug, slug)).returning({ slug: apps.slug });
  return deleted.length > 0;
}

/** The settings of some apps, and the fields of `$auth` that published components read. At most a hundred. */
export async function knownOf(
  db: Database,
  slugs: readonly string[],
): Promise<{ settings: AppRow[]; read: { app: string; auth: string[] }[] }> {
  const wanted = slugs.slice(0, 99);
  const [settings, read] = await db.batch([
    db.select().from(apps).where(inArray(apps.slug, wanted)),
    db
      .selectDistinct({ app: componentApps.app, auth: componentApps.auth })
      .from(componentApps)
      .where(inArray(componentApps.app, wanted)),
  ]);
  return { settings, read };
}

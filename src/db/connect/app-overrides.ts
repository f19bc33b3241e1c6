import { and, count, eq } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "../client.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { appOverrides } from "../schema/connect.ts";

/** A project's override of an app; the values of its fields are sealed. */
export type AppOverride = typeof appOverrides.$inferSelect;

export type AppOverrideChange = Partial<
  Pick<AppOverride, "fieldNames" | "fields" | "keyId" | "name" | "oauthAppId" | "settings">
>;

type Named = { project: Id<"project">; id: Id<"app_override"> };

export async function insertAppOverride(
  db: Database,
  row: Omit<AppOverride, "seq">,
): Promise<AppOverride> {
  const [inserted] = await db.insert(appOverrides).values(row).returning();
  if (!inserted) throw new Error(`The row of ${row.id} was not written`);
  return inserted;
}

export async function appOverride(db: Database, named: Named): Promise<AppOverride | undefined> {
  const [found] = await db.select().from(appOverrides).where(isNamed(named));
  return found;
}

/** A page of a project's overrides, newest first. */
export async function pageOfAppOverrides(
  db: Database,
  project: Id<"project">,
  { app, ...request }: PageRequest & { app?: string | undefined },
): Promise<Page<AppOverride>> {
  const wanted = and(
    eq(appOverrides.projectId, project),
    app === undefined ? undefined : eq(appOverrides.app, app),
  );
  const { within, order } = pageBounds(appOverrides.seq, request);
  const [items, [total]] = await db.batch([
    db.select().from(appOverrides).where(and(wanted, within)).orderBy(order).limit(request.limit),
    db.select({ count: count() }).from(appOverrides).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Change an override. Undefined: there is no such override of the project. */
export async function updateAppOverride(
  db: Database,
  { at, ...named }: Named & { at: number },
  change: AppOverrideChange,
): Promise<AppOverride | undefined> {
  const [updated] = await db
    .update(appOverrides)
    .set({ ...change, updatedAt: at })
    .where(isNamed(named))
    .returning();
  return updated;
}

/** Delete an override. Returns whether it existed. */
export async function deleteAppOverride(db: Database, named: Named): Promise<boolean> {
  const deleted = await db
    .delete(appOverrides)
    .where(isNamed(named))
    .returning({ id: appOverrides.id });
  return deleted.length > 0;
}

function isNamed({ project, id }: Named) {
  return and(eq(appOverrides.projectId, project), eq(appOverrides.id, id));
}

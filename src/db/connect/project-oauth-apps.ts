import { and, count, desc, eq, or } from "drizzle-orm";

import type { Id } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import type { Database } from "../client.ts";
import { contains } from "../contains.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { projectOauthApps } from "../schema/connect.ts";

/** A project's own client at a provider; its secret is sealed. */
export type ProjectOauthApp = typeof projectOauthApps.$inferSelect;

export type ProjectOauthAppChange = Partial<
  Pick<
    ProjectOauthApp,
    | "additionalScopes"
    | "clientId"
    | "clientSecret"
    | "description"
    | "endpoints"
    | "keyId"
    | "name"
    | "scopes"
  >
>;

type Named = { project: Id<"project">; id: Id<"oauth_app"> };

export async function insertProjectOauthApp(
  db: Database,
  row: Omit<ProjectOauthApp, "seq">,
): Promise<ProjectOauthApp> {
  const [inserted] = await db.insert(projectOauthApps).values(row).returning();
  if (!inserted) throw new Error(`The row of ${row.id} was not written`);
  return inserted;
}

/** A client of a project. */
export async function projectOauthApp(
  db: Database,
  named: Named,
): Promise<ProjectOauthApp | undefined> {
  const [found] = await db.select().from(projectOauthApps).where(isNamed(named));
  return found;
}

/** A client of any project: for an account that was connected by it. */
export async function oauthAppById(
  db: Database,
  id: Id<"oauth_app">,
): Promise<ProjectOauthApp | undefined> {
  const [found] = await db.select().from(projectOauthApps).where(eq(projectOauthApps.id, id));
  return found;
}

/** The newest client of a project for an app. */
export async function newestOauthApp(
  db: Database,
  { project, app }: { project: Id<"project">; app: string },
): Promise<ProjectOauthApp | undefined> {
  const [found] = await db
    .select()
    .from(projectOauthApps)
    .where(and(eq(projectOauthApps.projectId, project), eq(projectOauthApps.app, app)))
    .orderBy(desc(projectOauthApps.seq))
    .limit(1);
  return found;
}

/** A page of a project's clients, newest first; `q`: part of the name or the app's slug. */
export async function pageOfProjectOauthApps(
  db: Database,
  project: Id<"project">,
  { app, q, ...request }: PageRequest & { app?: string | undefined; q?: string | undefined },
): Promise<Page<ProjectOauthApp>> {
  const wanted = and(
    eq(projectOauthApps.projectId, project),
    app === undefined ? undefined : eq(projectOauthApps.app, app),
    q === undefined
      ? undefined
      : or(contains(projectOauthApps.name, q), contains(projectOauthApps.app, q)),
  );
  const { within, order } = pageBounds(projectOauthApps.seq, request);
  const [items, [total]] = await db.batch([
    db
      .select()
      .from(projectOauthApps)
      .where(and(wanted, within))
      .orderBy(order)
      .limit(request.limit),
    db.select({ count: count() }).from(projectOauthApps).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Change a client. Undefined: there is no such client of the project. */
export async function updateProjectOauthApp(
  db: Database,
  { at, ...named }: Named & { at: number },
  change: ProjectOauthAppChange,
): Promise<ProjectOauthApp | undefined> {
  const [updated] = await db
    .update(projectOauthApps)
    .set({ ...change, updatedAt: at })
    .where(isNamed(named))
    .returning();
  return updated;
}

/** Delete a client. Returns whether it existed. */
export async function deleteProjectOauthApp(db: Database, named: Named): Promise<boolean> {
  const deleted = await db
    .delete(projectOauthApps)
    .where(isNamed(named))
    .returning({ id: projectOauthApps.id });
  return deleted.length > 0;
}

function isNamed({ project, id }: Named) {
  return and(eq(projectOauthApps.projectId, project), eq(projectOauthApps.id, id));
}

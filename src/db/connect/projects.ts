import { and, count, eq, isNull, type SQL } from "drizzle-orm";

import type { ActorId, Id, PayerId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { isAccessible } from "../access.ts";
import type { Database } from "../client.ts";
import { contains } from "../contains.ts";
import { newestFirst, pageBounds } from "../page.ts";
import { projects } from "../schema/connect.ts";

export type Project = typeof projects.$inferSelect;
export type ProjectChange = Partial<
  Pick<Project, "name" | "appName" | "supportEmail" | "requireKeyAuthTest" | "logo">
>;

/** The scope of projects: all that a user may see, or those of one owner; `only`: the one of a client. */
export type ProjectScope = { user: ActorId } | { owner: PayerId; only: Id<"project"> | null };

export async function insertProject(db: Database, project: Omit<Project, "seq">): Promise<Project> {
  const [inserted] = await db.insert(projects).values(project).returning();
  if (!inserted) throw new Error(`The row of ${project.id} was not written`);
  return inserted;
}

export async function projectById(
  db: Database,
  scope: ProjectScope,
  id: Id<"project">,
): Promise<Project | undefined> {
  const [project] = await db
    .select()
    .from(projects)
    .where(and(eq(projects.id, id), within(db, scope)));
  return project;
}

/** Whether a project of any owner exists. */
export async function hasProject(db: Database, id: Id<"project">): Promise<boolean> {
  const rows = await db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)));
  return rows.length > 0;
}

/** A page of projects, newest first; `q`: part of their names. */
export async function pageOfProjects(
  db: Database,
  scope: ProjectScope,
  { q, ...request }: PageRequest & { q?: string | undefined },
): Promise<Page<Project>> {
  const name = q === undefined ? undefined : contains(projects.name, q);
  const wanted = and(within(db, scope), name);
  const bounds = pageBounds(projects.seq, request);
  const [items, [total]] = await db.batch([
    db
      .select()
      .from(projects)
      .where(and(wanted, bounds.within))
      .orderBy(bounds.order)
      .limit(request.limit),
    db.select({ count: count() }).from(projects).where(wanted),
  ]);
  return { items: newestFirst(items, request), totalCount: total?.count ?? 0 };
}

/** Change a project. Undefined: there is no such project. */
export async function updateProject(
  db: Database,
  { id, at }: { id: Id<"project">; at: number },
  change: ProjectChange,
): Promise<Project | undefined> {
  const [updated] = await db
    .update(projects)
    .set({ ...change, updatedAt: at })
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .returning();
  return updated;
}

/** Hide a project; the sweep deletes its resources. Returns whether it existed. */
export async function hideProject(
  db: Database,
  { id, at }: { id: Id<"project">; at: number },
): Promise<boolean> {
  const hidden = await db
    .update(projects)
    .set({ deletedAt: at })
    .where(and(eq(projects.id, id), isNull(projects.deletedAt)))
    .returning({ id: projects.id });
  return hidden.length > 0;
}

function within(db: Database, scope: ProjectScope): SQL | undefined {
  if ("user" in scope)
    return and(isNull(projects.deletedAt), isAccessible(db, projects.ownerId, scope.user));
  const { owner, only } = scope;
  return and(
    isNull(projects.deletedAt),
    eq(projects.ownerId, owner),
    only === null ? undefined : eq(projects.id, only),
  );
}

import * as store from "#db/connect/projects.ts";
import { isMemberOf } from "#db/workspaces.ts";
import { NO_AGENT_QUOTAS } from "#domain/agent-quotas.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";

import { endRevokedSubscriptions } from "../agents/subscriptions/end.ts";
import { type ConnectContext, projectsOf } from "./context.ts";

export type { Project } from "#db/connect/projects.ts";

export type ProjectInput = {
  name: string;
  appName?: string | undefined;
  supportEmail?: string | undefined;
  requireKeyAuthTest?: boolean | undefined;
  /** For a user: the workspace that will own it. */
  workspace?: Id<"workspace"> | undefined;
};

/** Create a project. It belongs to the user or the named workspace, or to the owner of the client. */
export async function createProject(
  ctx: ConnectContext,
  { name, appName, supportEmail, requireKeyAuthTest, workspace }: ProjectInput,
): Promise<store.Project> {
  const at = ctx.now();
  return store.insertProject(ctx.db, {
    id: newId("project"),
    ...(await authorOf(ctx, workspace)),
    name,
    appName: appName ?? null,
    supportEmail: supportEmail ?? null,
    requireKeyAuthTest: requireKeyAuthTest ?? false,
    logo: null,
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...NO_AGENT_QUOTAS,
  });
}

/** Owner and creator of a caller's new resource. Refuses callers that are limited to one project. */
export async function authorOf(
  { caller, db }: Pick<ConnectContext, "caller" | "db">,
  workspace?: Id<"workspace">,
): Promise<Pick<store.Project, "ownerId" | "userId">> {
  if (caller.kind === "browser")
    throw new RequestError("forbidden", "A connect token serves the browser of one user");
  if (caller.kind === "client") {
    const { ownerId, userId, projectId } = caller.client;
    if (projectId !== null)
      throw new RequestError("forbidden", `The client reaches ${projectId} alone`);
    return { ownerId, userId };
  }
  const { id } = caller.user;
  if (workspace === undefined) return { ownerId: id, userId: id };
  if (!(await isMemberOf(db, workspace, id))) throw notFound("workspace", workspace);
  return { ownerId: workspace, userId: id };
}

export function listProjects(
  ctx: Pick<ConnectContext, "caller" | "db">,
  request: PageRequest & { q?: string | undefined },
): Promise<Page<store.Project>> {
  return store.pageOfProjects(ctx.db, projectsOf(ctx.caller), request);
}

/** A project that the caller may access. */
export async function getProject(
  ctx: Pick<ConnectContext, "caller" | "db">,
  id: Id<"project">,
): Promise<store.Project> {
  const project = await store.projectById(ctx.db, projectsOf(ctx.caller), id);
  if (!project) throw notFound("project", id);
  return project;
}

/** Change a project that the caller may access. Absent: unchanged. */
export async function updateProject(
  ctx: Pick<ConnectContext, "caller" | "db" | "now">,
  id: Id<"project">,
  change: store.ProjectChange,
): Promise<store.Project> {
  await getProject(ctx, id);
  const updated = await store.updateProject(ctx.db, { id, at: ctx.now() }, change);
  if (!updated) throw notFound("project", id);
  return updated;
}

/** Delete a project. It is hidden at once, and its agents' subscriptions end; the sweep deletes its resources. */
export async function deleteProject(ctx: ConnectContext, id: Id<"project">): Promise<void> {
  await getProject(ctx, id);
  const existed = await store.hideProject(ctx.db, { id, at: ctx.now() });
  if (!existed) throw notFound("project", id);
  await endRevokedSubscriptions(ctx, { of: "projectId", id });
}

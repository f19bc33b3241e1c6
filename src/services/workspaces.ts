import { ownerExists } from "#db/owners.ts";
import { keysOfMember } from "#db/routes.ts";
import { usageOfWorkspace, workspacesOf, type WorkspaceUsage } from "#db/usage.ts";
import { keyHashesOf } from "#db/users.ts";
import * as store from "#db/workspaces.ts";
import { dayOf } from "#domain/billing.ts";
import { notFound } from "#domain/errors.ts";
import { type Id, newId } from "#domain/ids.ts";
import type { Page, PageRequest } from "#domain/page.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";

import { requireMember } from "./access.ts";
import { endRevokedSubscriptions } from "./agents/subscriptions/end.ts";
import type { AppContext, Context, UserContext } from "./context.ts";
import { type UsageContext, writeKeptUsage, writeKeptUsageOfActor } from "./kept-usage.ts";
import { changingRoutes, type RoutesContext } from "./routes.ts";

export type { WorkspaceUsage } from "#db/usage.ts";
export type { ListedWorkspace, Member, Workspace } from "#db/workspaces.ts";
export type NewWorkspace = Pick<store.Workspace, "orgname" | "name" | "email" | "plan">;

export async function createWorkspace(
  ctx: Pick<AppContext, "db" | "now">,
  { orgname, name, email, plan }: NewWorkspace,
): Promise<store.Workspace> {
  const at = ctx.now();
  const workspace: store.Workspace = {
    id: newId("workspace"),
    orgname,
    name,
    email,
    plan,
    ...NO_QUOTAS,
    createdAt: at,
    updatedAt: at,
  };
  await store.insertWorkspace(ctx.db, workspace);
  return workspace;
}

/** A workspace that the actor belongs to, with its usage of today. */
export async function getWorkspace(
  ctx: Pick<Context, "actor" | "now"> & UsageContext,
  id: Id<"workspace">,
): Promise<WorkspaceUsage> {
  await writeKeptUsage(ctx, [id]);
  const today = dayOf(ctx.now());
  const workspace = await usageOfWorkspace(ctx.db, ctx.actor.id, { id, today });
  if (!workspace) throw notFound("workspace", id);
  return workspace;
}

/** The workspaces that the actor belongs to, with their usage of today. */
export async function listOwnWorkspaces(
  ctx: Pick<UserContext, "actor" | "now" | "workspaces"> & UsageContext,
): Promise<WorkspaceUsage[]> {
  await writeKeptUsageOfActor(ctx);
  return workspacesOf(ctx.db, ctx.actor.id, dayOf(ctx.now()));
}

/** The members of a workspace of the actor, newest first. */
export async function listMembers(
  ctx: Pick<Context, "actor" | "db" | "workspace">,
  workspace: Id<"workspace">,
  request: PageRequest,
): Promise<Page<store.Member>> {
  await requireMember(ctx, workspace);
  return store.pageOfMembers(ctx.db, workspace, request);
}

/** The workspaces of the deployment, newest first, for the operator. */
export function listAllWorkspaces(
  ctx: Pick<AppContext, "db">,
  request: PageRequest & { q?: string | undefined },
): Promise<Page<store.ListedWorkspace>> {
  return store.pageOfWorkspaces(ctx.db, request);
}

/** The members of any workspace, for the operator. */
export async function membersOf(
  ctx: Pick<AppContext, "db">,
  workspace: Id<"workspace">,
  request: PageRequest,
): Promise<Page<store.Member>> {
  if (!(await ownerExists(ctx.db, workspace))) throw notFound("workspace", workspace);
  return store.pageOfMembers(ctx.db, workspace, request);
}

/** Add a user to a workspace. Idempotent. */
export async function addMember(
  ctx: Pick<AppContext, "now"> & RoutesContext,
  workspaceId: Id<"workspace">,
  userId: Id<"user">,
): Promise<store.Membership> {
  const found = await store.existing(ctx.db, workspaceId, userId);
  if (!found.workspace) throw notFound("workspace", workspaceId);
  if (!found.user) throw notFound("user", userId);
  const membership = { workspaceId, userId, createdAt: ctx.now() };
  const keys = await keysOfMember(ctx.db, userId, workspaceId);
  await changingRoutes(ctx, keys, (change) => store.insertMembership(change, membership));
  return membership;
}

/**
 * End a membership, with the links, streams, subscriptions of agents and OAuth clients that depend on it. The streams end
 * first, so that a retry after a failure ends them, too.
 */
export async function removeMember(
  ctx: AppContext,
  workspaceId: Id<"workspace">,
  userId: Id<"user">,
): Promise<void> {
  const hashes = await keyHashesOf(ctx.db, userId);
  await Promise.all(hashes.map((hash) => ctx.endStreams(hash, workspaceId)));
  const { existed, clients } = await endMembership(ctx, workspaceId, userId);
  await endRevokedSubscriptions(ctx, { of: "user", id: userId });
  for (const id of clients) await endRevokedSubscriptions(ctx, { of: "credential", id });
  if (!existed) throw notFound("user", userId);
}

/** Delete a membership, and the subscriptions and clients that depend on it. */
export async function endMembership(
  ctx: RoutesContext,
  workspaceId: Id<"workspace">,
  userId: Id<"user">,
): Promise<store.EndedMembership> {
  const keys = await keysOfMember(ctx.db, userId, workspaceId);
  return changingRoutes(ctx, keys, (change) => store.deleteMembership(change, workspaceId, userId));
}

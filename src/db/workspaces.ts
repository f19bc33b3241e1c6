import { and, eq, isNull, sql } from "drizzle-orm";

import type { ActorId, Id } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { deleteLinksOfFormerMember } from "./listeners.ts";
import { memberships, users, workspaces } from "./schema/tables.ts";

export type Workspace = typeof workspaces.$inferSelect;
export type Membership = typeof memberships.$inferSelect;

export async function insertWorkspace(db: Database, workspace: Workspace): Promise<void> {
  await db.insert(workspaces).values(workspace);
}

/** Whether a workspace and a user of these ids exist. */
export async function existing(
  db: Database,
  workspace: Id<"workspace">,
  user: Id<"user">,
): Promise<{ workspace: boolean; user: boolean }> {
  const [foundWorkspaces, foundUsers] = await db.batch([
    db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, workspace)),
    db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, user), isNull(users.deletedAt))),
  ]);
  return { workspace: foundWorkspaces.length > 0, user: foundUsers.length > 0 };
}

export async function insertMembership(db: Database, membership: Membership): Promise<void> {
  await db.insert(memberships).values(membership).onConflictDoNothing();
}

/** Delete a membership, and the subscriptions that it allowed. Returns whether it existed. */
export async function deleteMembership(
  db: Database,
  workspace: Id<"workspace">,
  user: Id<"user">,
): Promise<boolean> {
  const [deleted] = await db.batch([
    db.delete(memberships).where(isMember(workspace, user)).returning(),
    ...deleteLinksOfFormerMember(db, user, workspace),
  ]);
  return deleted.length > 0;
}

export async function isMemberOf(
  db: Database,
  workspace: Id<"workspace">,
  user: ActorId,
): Promise<boolean> {
  const found = await membershipQuery(db, workspace, user);
  return found.length > 0;
}

/** For a batch: one row where the user belongs to the workspace, none otherwise. */
export function membershipQuery(db: Database, workspace: Id<"workspace">, user: ActorId) {
  return db
    .select({ workspaceId: memberships.workspaceId })
    .from(memberships)
    .where(isMember(workspace, user));
}

function isMember(workspace: Id<"workspace">, user: ActorId) {
  return and(eq(memberships.workspaceId, workspace), eq(memberships.userId, sql`${user}`));
}

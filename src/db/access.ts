import { eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { memberships, users } from "./schema/tables.ts";

/** Whether an owner column holds the user (or the workspace itself), or a workspace of the user. */
export function isAccessible(db: Database, ownerId: SQLiteColumn, user: OwnerId): SQL | undefined {
  const workspacesOfUser = db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(sql`${memberships.userId} = ${user}`);
  return or(eq(ownerId, user), inArray(ownerId, workspacesOfUser));
}

/** In a query of users: the workspaces of the user. */
export const WORKSPACES_OF_USER = sql<Id<"workspace">[]>`(
  SELECT json_group_array(${memberships.workspaceId}) FROM ${memberships}
  WHERE ${memberships.userId} = ${users.id}
)`.mapWith((ids: string): Id<"workspace">[] => JSON.parse(ids));

/** The user and the workspaces of the user. */
export async function ownersFor(db: Database, user: OwnerId): Promise<OwnerId[]> {
  const rows = await db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(sql`${memberships.userId} = ${user}`);
  return [user, ...rows.map(({ id }) => id)];
}

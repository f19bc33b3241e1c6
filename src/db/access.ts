import { eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { memberships } from "./schema/tables.ts";

/** Whether an owner column holds the user (or the workspace itself), or a workspace of the user. */
export function isAccessible(db: Database, ownerId: SQLiteColumn, user: OwnerId): SQL | undefined {
  const workspacesOfUser = db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(sql`${memberships.userId} = ${user}`);
  return or(eq(ownerId, user), inArray(ownerId, workspacesOfUser));
}

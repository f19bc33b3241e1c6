import { eq, inArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";

import type { OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { memberships } from "./schema/tables.ts";

/** Whether what an owner column names is the user (or a workspace itself), or a workspace that the user belongs to. */
export function isAccessible(db: Database, ownerId: SQLiteColumn, user: OwnerId): SQL | undefined {
  const workspacesOfUser = db
    .select({ id: memberships.workspaceId })
    .from(memberships)
    .where(sql`${memberships.userId} = ${user}`);
  return or(eq(ownerId, user), inArray(ownerId, workspacesOfUser));
}

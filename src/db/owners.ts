import { eq } from "drizzle-orm";

import { isId, type OwnerId } from "#domain/ids.ts";

import type { Database } from "./client.ts";
import { users, workspaces } from "./schema/tables.ts";

/** The plan of a user or a workspace; undefined if there is no such owner. */
export async function planOfOwner(
  db: Database,
  owner: OwnerId,
): Promise<"free" | "paid" | "legacy" | undefined> {
  const owners = isId("user", owner) ? users : workspaces;
  const [found] = await db.select({ plan: owners.plan }).from(owners).where(eq(owners.id, owner));
  return found?.plan;
}

/** Whether there is a user or a workspace of this id. */
export async function ownerExists(db: Database, owner: OwnerId): Promise<boolean> {
  const found = isId("user", owner)
    ? await db.select({ id: users.id }).from(users).where(eq(users.id, owner))
    : await db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, owner));
  return found.length > 0;
}

/** The mail address of a user or a workspace; undefined if there is no such owner. */
export async function emailOf(db: Database, owner: OwnerId): Promise<string | undefined> {
  const [found] = isId("user", owner)
    ? await db.select({ email: users.email }).from(users).where(eq(users.id, owner))
    : await db.select({ email: workspaces.email }).from(workspaces).where(eq(workspaces.id, owner));
  return found?.email;
}

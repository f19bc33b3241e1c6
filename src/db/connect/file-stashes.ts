import { and, asc, eq, gt, lte, sql } from "drizzle-orm";

import type { Id, OwnerId } from "#domain/ids.ts";

import type { Database } from "../client.ts";
import { fileStashes } from "../schema/connect.ts";

export type FileStash = typeof fileStashes.$inferSelect;

/** Insert a stash. False if its owner has the maximum of unexpired ones. */
export async function insertStash(db: Database, stash: FileStash, most: number): Promise<boolean> {
  const kept = sql`(SELECT count(*) FROM ${fileStashes} AS kept
    WHERE kept.owner_id = ${stash.ownerId} AND kept.expires_at > ${stash.createdAt})`;
  const [, left] = await db.batch([
    db.insert(fileStashes).values(stash),
    db
      .delete(fileStashes)
      .where(and(eq(fileStashes.id, stash.id), sql`${kept} > ${most}`))
      .returning({ id: fileStashes.id }),
  ]);
  return left.length === 0;
}

/** Extend the life of an owner's stash. Undefined: there is none, or it has expired. */
export async function extendStash(
  db: Database,
  owner: OwnerId,
  { id, now, expiresAt }: { id: Id<"stash">; now: number; expiresAt: number },
): Promise<FileStash | undefined> {
  const [stash] = await db
    .update(fileStashes)
    .set({ expiresAt })
    .where(
      and(eq(fileStashes.id, id), eq(fileStashes.ownerId, owner), gt(fileStashes.expiresAt, now)),
    )
    .returning();
  return stash;
}

/** An unexpired stash of any owner. */
export async function stashById(
  db: Database,
  id: Id<"stash">,
  now: number,
): Promise<FileStash | undefined> {
  const [stash] = await db
    .select()
    .from(fileStashes)
    .where(and(eq(fileStashes.id, id), gt(fileStashes.expiresAt, now)));
  return stash;
}

/** Expired stashes, oldest first. */
export async function expiredStashes(
  db: Database,
  now: number,
  limit: number,
): Promise<Pick<FileStash, "id" | "ownerId">[]> {
  return db
    .select({ id: fileStashes.id, ownerId: fileStashes.ownerId })
    .from(fileStashes)
    .where(lte(fileStashes.expiresAt, now))
    .orderBy(asc(fileStashes.expiresAt))
    .limit(limit);
}

export async function deleteStash(db: Database, id: Id<"stash">): Promise<void> {
  await db.delete(fileStashes).where(eq(fileStashes.id, id));
}

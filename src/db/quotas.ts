import { eq } from "drizzle-orm";

import { isId, type OwnerId } from "#domain/ids.ts";
import type { Quotas } from "#domain/quotas.ts";

import type { Database } from "./client.ts";
import { users, workspaces } from "./schema/tables.ts";

/** Change some quotas of a user or a workspace. Returns all of them, or undefined where there is no such owner. */
export async function updateQuotas(
  db: Database,
  ownerId: OwnerId,
  change: Partial<Quotas> & { updatedAt: number },
): Promise<Quotas | undefined> {
  const owners = isId("user", ownerId) ? users : workspaces;
  const [quotas] = await db
    .update(owners)
    .set(change)
    .where(eq(owners.id, ownerId))
    .returning(quotaColumns(owners));
  return quotas;
}

/** For a batch: the quotas of a user or a workspace. */
export function quotasQuery(db: Database, ownerId: OwnerId) {
  const owners = isId("user", ownerId) ? users : workspaces;
  return db.select(quotaColumns(owners)).from(owners).where(eq(owners.id, ownerId));
}

/** The columns that hold quotas. */
export function quotaColumns(owners: typeof users | typeof workspaces) {
  return {
    dailyInvocationsQuota: owners.dailyInvocationsQuota,
    dailyComputeMsQuota: owners.dailyComputeMsQuota,
    dailyCreditsQuota: owners.dailyCreditsQuota,
  };
}

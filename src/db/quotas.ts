import { and, eq, isNull } from "drizzle-orm";

import { isId, type PayerId } from "#domain/ids.ts";
import type { Quotas } from "#domain/quotas.ts";

import type { Database } from "./client.ts";
import { users, workspaces } from "./schema/tables.ts";

/** Change some quotas of a user or a workspace. Returns all of them, or undefined if there is no such owner. */
export async function updateQuotas(
  db: Database,
  ownerId: PayerId,
  change: Partial<Quotas> & { updatedAt: number },
): Promise<Quotas | undefined> {
  const owners = isId("user", ownerId) ? users : workspaces;
  const isThere = owners === users ? isNull(users.deletedAt) : undefined;
  const [quotas] = await db
    .update(owners)
    .set(change)
    .where(and(eq(owners.id, ownerId), isThere))
    .returning(quotaColumns(owners));
  return quotas;
}

/** The columns that hold quotas. */
function quotaColumns(owners: typeof users | typeof workspaces) {
  return {
    dailyInvocationsQuota: owners.dailyInvocationsQuota,
    dailyComputeMsQuota: owners.dailyComputeMsQuota,
    dailyCreditsQuota: owners.dailyCreditsQuota,
    storageQuota: owners.storageQuota,
  };
}

import { accountsToDelete, deleteAccounts } from "#db/accounts.ts";
import { type LeavingAccount, withoutSharedGrants } from "#db/grants.ts";
import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "./context.ts";

/** The dependencies of deleting accounts. */
export type DeletionContext = Pick<AppContext, "accounts" | "catalogue" | "db" | "requestId">;

/** Maximum accounts that are deleted at once. */
export const ACCOUNTS_AT_ONCE = 50;

/**
 * Revoke the grants of some accounts at their providers, as far as no other account shares them, and delete the
 * accounts. Returns whether one existed. A retry after a crash revokes them again.
 */
export async function revokeAndDelete(
  ctx: DeletionContext,
  leaving: readonly LeavingAccount[],
): Promise<boolean> {
  if (leaving.length === 0) return false;
  const ids = leaving.map(({ id }) => id);
  const catalogue = await ctx.catalogue();
  const siblings = leaving.map(({ app }) => [app, catalogue.get(app)?.siblings ?? [app]] as const);
  const unshared = new Set(await withoutSharedGrants(ctx.db, ids, new Map(siblings)));
  await Promise.all(leaving.filter(({ id }) => unshared.has(id)).map((one) => revoke(ctx, one)));
  return deleteAccounts(ctx.db, ids);
}

/** Delete some accounts of an owner. False: some may be left. */
export async function deleteAccountsOf(ctx: DeletionContext, owner: OwnerId): Promise<boolean> {
  const leaving = await accountsToDelete(ctx.db, owner, ACCOUNTS_AT_ONCE);
  await revokeAndDelete(ctx, leaving);
  return leaving.length < ACCOUNTS_AT_ONCE;
}

async function revoke(
  { accounts, requestId: request_id }: DeletionContext,
  { id, ownerId }: LeavingAccount,
): Promise<void> {
  try {
    await accounts(id).revoke(ownerId);
  } catch (error) {
    log("grant_revocation_failed", { request_id, subject_id: id, owner_id: ownerId, error });
  }
}

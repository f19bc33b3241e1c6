import {
  type AccountCheck,
  endAccountCheck,
  pendingAccountChecks,
  postponeAccountCheck,
} from "#db/account-checks.ts";
import { type AccountState, accountStates } from "#db/accounts.ts";
import { type Id, isId, type OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "./context.ts";

/** Maximum sources and workflows to notify at once; the sweep notifies the others. */
const MAX_CHECKS = 50;

/** The dependencies of notifying sources and workflows. */
export type CheckContext = Pick<
  AppContext,
  "db" | "inBackground" | "requestId" | "sources" | "workflows"
>;

/** Notify sources and workflows whose accounts were deleted, marked dead or repaired. Returns the number of notified ones. */
export async function checkAccountUses(ctx: Omit<CheckContext, "inBackground">): Promise<number> {
  const pending = await pendingAccountChecks(ctx.db, MAX_CHECKS);
  const notified = await Promise.all(pending.map((check) => notify(ctx, check)));
  return notified.filter(Boolean).length;
}

/** Notify them after the response: the sweep repeats failed checks. */
export function checkAccountUsesSoon(ctx: CheckContext): void {
  const failed = (error: unknown): void => {
    log("accounts_unchecked", { request_id: ctx.requestId, error });
  };
  ctx.inBackground(checkAccountUses(ctx).catch(failed));
}

async function notify(
  ctx: Omit<CheckContext, "inBackground">,
  check: AccountCheck,
): Promise<boolean> {
  const { subjectId: id } = check;
  try {
    if (isId("source", id)) await ctx.sources(id).checkAccounts();
    if (isId("workflow", id)) await ctx.workflows(id).checkAccounts();
    await endAccountCheck(ctx.db, check);
    return true;
  } catch (error) {
    log("accounts_unchecked", { request_id: ctx.requestId, subject_id: id, error });
    await postponeAccountCheck(ctx.db, check);
    return false;
  }
}

/**
 * The accounts that provide no credentials to their owner: they were deleted, are dead, or have expired unrefreshed.
 */
export async function lostAccounts(
  ctx: Pick<AppContext, "db" | "now">,
  owner: OwnerId,
  ids: readonly Id<"account">[],
): Promise<Id<"account">[]> {
  const states = await accountStates(ctx.db, ids);
  return ids.filter((id) => isLost(states.get(id), owner, ctx.now()));
}

function isLost(state: AccountState | undefined, owner: OwnerId, now: number): boolean {
  if (state?.ownerId !== owner || state.dead) return true;
  return state.error !== null && state.expiresAt !== null && state.expiresAt <= now;
}

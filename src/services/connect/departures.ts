import * as store from "#db/connect/departures.ts";
import { triggersLeftOver } from "#db/connect/deployed-triggers.ts";
import { RequestError } from "#domain/errors.ts";
import { type Id, isId, type OwnerId } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

import { deleteAccountsOf } from "../account-deletions.ts";
import type { AppContext, Context } from "../context.ts";
import { deleteDataStore } from "../data-stores.ts";
import { deleteSource } from "../sources/delete.ts";
import { deleteWebhook } from "../webhooks.ts";
import { forgetTrigger } from "./triggers.ts";

/** Maximum external users that one sweep processes. The next one is a minute away. */
const USERS_A_SWEEP = 20;

/** Maximum resources of a kind that are deleted at once. */
export const DELETED_AT_ONCE = 50;

/** Delete the leftovers of deleted projects and external users. Idempotent. */
export async function endDepartures(ctx: AppContext): Promise<number> {
  let ended = await store.forgetProjects(ctx.db, ctx.now());
  for (const user of await store.departedUsers(ctx.db, USERS_A_SWEEP))
    if (await endDeparture(ctx, user)) ended += 1;
  return ended;
}

/** Maximum time of a trigger's deployment, its hooks included, in seconds. */
const DEPLOYED_WITHIN_SECONDS = 3600;

/** Delete the leftovers of triggers that were never deployed, or whose source was deleted. */
export async function forgetTriggers(ctx: AppContext): Promise<number> {
  const before = ctx.now() - DEPLOYED_WITHIN_SECONDS;
  const left = await triggersLeftOver(ctx.db, before, DELETED_AT_ONCE);
  for (const one of left) await forgetTrigger(ctx, one);
  return left.length;
}

/** Delete the resources of a deleted external user. False: some are left for the next sweep. */
export async function endDeparture(ctx: AppContext, user: Id<"external_user">): Promise<boolean> {
  const { requestId } = ctx;
  const own = {
    ...ctx,
    actor: { id: user, plan: "free" as const, ...NO_QUOTAS },
    keyHash: requestId,
  };
  if (!(await deleteLeftOver(own, user))) return false;
  // After the sources, whose hooks need their accounts.
  if (!(await deleteAccountsOf(ctx, user))) return false;
  return store.forgetExternalUser(ctx.db, user);
}

/** Delete some of an owner's resources that have objects, as an actor with access. False: some are left. */
export async function deleteLeftOver(ctx: Context, owner: OwnerId): Promise<boolean> {
  const { sources, webhooks, dataStores } = await store.leftOverOf(ctx.db, owner, DELETED_AT_ONCE);
  const deleted = await Promise.all([
    ...sources.map((id) => isGone(ctx, id, deleteSource(ctx, id))),
    ...webhooks.map((id) => isGone(ctx, id, deleteWebhook(ctx, id))),
    ...dataStores.map((id) => isGone(ctx, id, deleteDataStore(ctx, id))),
  ]);
  const isLast = [sources, webhooks, dataStores].every(({ length }) => length < DELETED_AT_ONCE);
  return isLast && !deleted.includes(false);
}

/** Wait for a deletion. False: it failed and must be retried. */
export async function isGone(
  { requestId: request_id }: Pick<AppContext, "requestId">,
  subject_id: string,
  deletion: Promise<void>,
): Promise<boolean> {
  try {
    await deletion;
    return true;
  } catch (error) {
    // A source that is not found is in a change that another task of the sweep ends: retry later.
    if (error instanceof RequestError && error.code === "not_found")
      return !isId("source", subject_id);
    log("object_unremoved", { request_id, subject_id, error });
    return false;
  }
}

import * as store from "#db/user-departures.ts";
import { keyHashesOf } from "#db/users.ts";
import { newestWorkflows } from "#db/workflows.ts";
import { notFound, RequestError } from "#domain/errors.ts";
import type { Id, PayerId } from "#domain/ids.ts";
import { NO_QUOTAS } from "#domain/quotas.ts";
import { ALL_EMITTERS, type RouteKey } from "#domain/routes.ts";
import { log } from "#telemetry/log.ts";

import { deleteAccountsOf } from "./account-deletions.ts";
import { endRevokedSubscriptions } from "./agents/subscriptions/end.ts";
import { DELETED_AT_ONCE, deleteLeftOver, isGone } from "./connect/departures.ts";
import type { AppContext } from "./context.ts";
import { changingRoutes } from "./routes.ts";
import { CHANGE_LASTS_SECONDS } from "./sources/update.ts";
import { deleteWorkflow } from "./workflows/read.ts";
import { endMembership } from "./workspaces.ts";

/** Maximum users that one sweep processes. The next one is a minute away. */
const USERS_A_SWEEP = 20;

/**
 * Delete a user, who is hidden at once; the rest is deleted in the background. Without `force` it refuses, and lists
 * the resources to delete.
 */
export async function deleteUser(ctx: AppContext, id: Id<"user">, force: boolean): Promise<void> {
  if (!force) {
    const belongings = await store.belongingsOf(ctx.db, id);
    if (!belongings) throw notFound("user", id);
    const message = `The listed resources are deleted with ${id}; force=true deletes them`;
    throw new RequestError("conflict", message, { would_delete: belongings });
  }
  if (!(await store.hideUser(ctx.db, id, ctx.now()))) throw notFound("user", id);
  await endRevokedSubscriptions(ctx, { of: "user", id });
  ctx.inBackground(departAndLog(ctx, id));
}

/** Continue unfinished deletions of users. Idempotent. */
export async function endUserDepartures(ctx: AppContext): Promise<number> {
  let ended = 0;
  for (const { id } of await store.departingUsers(ctx.db, USERS_A_SWEEP))
    if (await departAndLog(ctx, id)) ended += 1;
  return ended;
}

async function departAndLog(ctx: AppContext, id: Id<"user">): Promise<boolean> {
  try {
    return await endUserDeparture(ctx, id);
  } catch (error) {
    log("user_undeleted", { request_id: ctx.requestId, owner_id: id, error });
    return false;
  }
}

/** Delete some resources of a hidden user. False: some are left for the next sweep. */
async function endUserDeparture(ctx: AppContext, user: Id<"user">): Promise<boolean> {
  // Streams end before the keys are deleted, so that a retry after a failure ends them, too.
  const hashes = await keyHashesOf(ctx.db, user);
  await Promise.all(hashes.map((hash) => ctx.endStreams(hash)));
  const { owners, leaves } = await store.departUser(ctx.db, user, ctx.now());
  for (const workspace of leaves) await endMembership(ctx, workspace, user);
  let isEmpty = true;
  for (const owner of owners) if (!(await deleteAllOf(ctx, user, owner))) isEmpty = false;
  if (!isEmpty) return false;
  // An earlier request may still create something: wait for it.
  const hiddenBefore = ctx.now() - CHANGE_LASTS_SECONDS;
  return changingRoutes(ctx, owners.map(allOf), (change) =>
    store.forgetUser(change, user, { owners, hiddenBefore }),
  );
}

async function deleteAllOf(ctx: AppContext, user: Id<"user">, owner: PayerId): Promise<boolean> {
  const own = {
    ...ctx,
    actor: { id: user, plan: "free" as const, ...NO_QUOTAS },
    keyHash: ctx.requestId,
  };
  const workflows = await newestWorkflows(ctx.db, owner, DELETED_AT_ONCE);
  const ended = await Promise.all(workflows.map((id) => isGone(ctx, id, deleteWorkflow(ctx, id))));
  const isLast = workflows.length < DELETED_AT_ONCE && !ended.includes(false);
  if (!(await deleteLeftOver(own, owner)) || !isLast) return false;
  if (!(await deleteAccountsOf(ctx, owner))) return false;
  await changingRoutes(ctx, [allOf(owner)], (change) => store.deleteRowsOf(change, owner));
  return true;
}

function allOf(ownerId: PayerId): RouteKey {
  return { ownerId, emitterId: ALL_EMITTERS };
}

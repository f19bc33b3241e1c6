import type { PendingChange } from "#db/schema/tables.ts";
import { finishUpdate, publishSource, releaseSource, sourceInChange } from "#db/source-changes.ts";
import type { Source } from "#db/sources.ts";
import { apphooksOf } from "#domain/apphooks.ts";
import type { Id } from "#domain/ids.ts";
import { fromJson } from "#domain/json.ts";
import { shownValues } from "#domain/props.ts";
import type { Current, Deployment, Settled } from "#durable-objects/source/contract.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "../context.ts";
import type { RoutesContext } from "../routes.ts";
import { forgetSource } from "./forget.ts";

/** The current deployment of a source, without a change in progress; undefined if its object is empty. */
export async function currentOf(
  ctx: Pick<AppContext, "sources">,
  id: Id<"source">,
): Promise<Current | undefined> {
  const current = await ctx.sources(id).current();
  return current === null ? undefined : fromJson(current);
}

/**
 * Record the outcome of a create or an update, which the source's object reports after the hooks. The caller may have
 * disconnected: the request has nothing left to do.
 */
export async function recordSettled(
  ctx: Pick<AppContext, "db" | "now" | "requestId">,
  { id, change, current }: Settled,
): Promise<void> {
  const source = await sourceInChange(ctx.db, id);
  // This change was reported before.
  if (source?.pending?.change !== change) return;
  if (source.state === "deploying") await publishSource(ctx.db, source);
  else if (source.state === "live") await settleUpdate(ctx, source, fromJson(current));
}

/** End an overdue change. Idempotent. */
export async function endChange(
  ctx: Pick<AppContext, "now" | "sources"> & RoutesContext,
  source: Source,
): Promise<void> {
  if (source.state === "live") return settle(ctx, source);
  const isCreated = source.state === "deploying" && (await currentOf(ctx, source.id));
  if (isCreated) return publishSource(ctx.db, source);
  // An unfinished create is undone; an unfinished delete is completed.
  await ctx.sources(source.id).remove(ctx.requestId);
  await forgetSource(ctx, source);
}

/** Set the row to the object's deployment: an update either took effect there or was undone. */
export async function settle(
  ctx: Pick<AppContext, "db" | "now" | "requestId" | "sources">,
  source: Source,
): Promise<void> {
  await settleUpdate(ctx, source, await currentOf(ctx, source.id));
}

async function settleUpdate(
  ctx: Pick<AppContext, "db" | "now" | "requestId">,
  source: Source,
  current: Current | undefined,
): Promise<void> {
  const at = source.updatingSince ?? 0;
  if (!current) {
    log("source_empty", { request_id: ctx.requestId, source_id: source.id });
    return releaseSource(ctx.db, source.id, at);
  }
  const { deployment, active } = current;
  const done = source.pending && isOf(source.pending, deployment) ? source.pending : undefined;
  const { component, componentId, name } = done ?? { ...source, component: null };
  await finishUpdate(
    ctx.db,
    { source, at, now: done ? ctx.now() : source.updatedAt },
    {
      component,
      componentId,
      name,
      active,
      shownProps: shownValues(deployment.props, deployment.configuredProps),
      endpoints: deployment.endpoints,
      apphooks: apphooksOf(deployment.props, deployment.configuredProps),
      shards: deployment.shards ?? 1,
    },
  );
}

/** Whether a change took effect. A change recorded by an older release is identified by its code alone. */
function isOf(pending: PendingChange, { change, bundleHash }: Deployment): boolean {
  return pending.change === undefined
    ? pending.bundleHash === bundleHash
    : pending.change === change;
}

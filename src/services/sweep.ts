import { deleteSource, finishUpdate, releaseSource } from "../db/source-changes.ts";
import { type Source, staleSources } from "../db/sources.ts";
import { apphooksOf } from "../domain/apphooks.ts";
import { shownValues } from "../domain/props.ts";
import { log } from "../telemetry/log.ts";
import type { Platform } from "./context.ts";
import { indexRegistry } from "./registry.ts";
import { sweepScripts } from "./scripts.ts";
import { CHANGE_LASTS_SECONDS, currentOf } from "./sources/update.ts";
import { settleWorkflowCode } from "./workflows/code.ts";

/** How many sources one sweep looks after. The next one is a minute away. */
const SOURCES_A_SWEEP = 50;

/** End what was begun and left, and index what is not indexed yet. Doing it twice changes nothing. */
export async function sweep(ctx: Platform): Promise<void> {
  await indexRegistry(ctx);
  await sweepSources(ctx);
  await settleWorkflowCode(ctx);
  await sweepScripts(ctx);
}

/** End the changes of sources whose process did not live to end them. Doing it twice changes nothing. */
async function sweepSources(ctx: Platform): Promise<void> {
  const stale = await staleSources(ctx.db, ctx.now() - CHANGE_LASTS_SECONDS, SOURCES_A_SWEEP);
  for (const source of stale) {
    try {
      await reconcile(ctx, source);
    } catch (error) {
      log("source_unswept", { request_id: ctx.requestId, source_id: source.id, error });
    }
  }
}

async function reconcile(ctx: Platform, source: Source): Promise<void> {
  if (source.state === "live") return settle(ctx, source);
  // A create that was never acknowledged is taken back; a delete that was begun is ended.
  await ctx.sources(source.id).remove(ctx.requestId);
  await deleteSource(ctx.db, source);
}

/** Let the row say what the object runs: an update either took effect there or was taken back. */
async function settle(ctx: Platform, source: Source): Promise<void> {
  const at = source.updatingSince ?? 0;
  const current = await currentOf(ctx, source.id);
  if (!current) {
    log("source_empty", { request_id: ctx.requestId, source_id: source.id });
    return releaseSource(ctx.db, source.id, at);
  }
  const { deployment, active } = current;
  const { pending } = source;
  const tookEffect = pending?.bundleHash === deployment.bundleHash;
  const { component, componentId, name } = tookEffect ? pending : { ...source, component: null };
  await finishUpdate(
    ctx.db,
    { source, at, now: ctx.now() },
    {
      component,
      componentId,
      name,
      active,
      shownProps: shownValues(deployment.props, deployment.configuredProps),
      endpoints: deployment.endpoints,
      apphooks: apphooksOf(deployment.props, deployment.configuredProps),
    },
  );
}

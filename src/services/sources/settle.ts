import { finishUpdate, releaseSource } from "../../db/source-changes.ts";
import type { Source } from "../../db/sources.ts";
import { apphooksOf } from "../../domain/apphooks.ts";
import type { Id } from "../../domain/ids.ts";
import { shownValues } from "../../domain/props.ts";
import type { Current } from "../../source/contract.ts";
import { log } from "../../telemetry/log.ts";
import type { Platform } from "../context.ts";

/** What a source runs by now; undefined where its object holds nothing. */
export async function currentOf(ctx: Platform, id: Id<"source">): Promise<Current | undefined> {
  const text = await ctx.sources(id).current();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the object writes a `Current`.
  return text === null ? undefined : (JSON.parse(text) as Current);
}

/** Let the row say what the object runs: an update either took effect there or was taken back. */
export async function settle(ctx: Platform, source: Source): Promise<void> {
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

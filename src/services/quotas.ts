import { updateQuotas } from "#db/quotas.ts";
import { newestSources } from "#db/sources.ts";
import { newestWorkflows } from "#db/workflows.ts";
import { notFound } from "#domain/errors.ts";
import { isId, type PayerId } from "#domain/ids.ts";
import type { Quotas } from "#domain/quotas.ts";
import { log } from "#telemetry/log.ts";

import type { AppContext } from "./context.ts";

export type { Quotas } from "#domain/quotas.ts";

/** Maximum sources, and maximum workflows, to notify of new quotas. Others get them with their next report. */
const MAX_NOTIFIED = 250;

/** Change some quotas of a user or a workspace; null removes one. They apply at once. */
export async function setQuotas(
  ctx: Pick<AppContext, "db" | "now" | "owners" | "requestId" | "sources" | "workflows">,
  ownerId: PayerId,
  change: Partial<Quotas>,
): Promise<Quotas> {
  const quotas = await updateQuotas(ctx.db, ownerId, { ...change, updatedAt: ctx.now() });
  if (!quotas) throw notFound(isId("user", ownerId) ? "user" : "workspace", ownerId);
  await ctx.owners(ownerId).quotasChanged();
  const [sources, workflows] = await Promise.all([
    newestSources(ctx.db, ownerId, MAX_NOTIFIED),
    newestWorkflows(ctx.db, ownerId, MAX_NOTIFIED),
  ]);
  const results = await Promise.allSettled([
    ...sources.map((id) => ctx.sources(id).refreshQuotas()),
    ...workflows.map((id) => ctx.workflows(id).refreshQuotas()),
  ]);
  const [failed, ...others] = results.filter((result) => result.status === "rejected");
  if (failed) {
    const { requestId: request_id } = ctx;
    const count = others.length + 1;
    log("quotas_untold", { request_id, owner_id: ownerId, count, error: failed.reason });
  }
  return quotas;
}

import { updateQuotas } from "../db/quotas.ts";
import { newestSources } from "../db/sources.ts";
import { notFound } from "../domain/errors.ts";
import { isId, type OwnerId } from "../domain/ids.ts";
import type { Quotas } from "../domain/quotas.ts";
import type { Platform } from "./context.ts";

export type { Quotas } from "../domain/quotas.ts";

/** How many sources are told of new quotas at once. Others learn of them with their next report. */
const SOURCES_TOLD = 500;

/** Change some quotas of a user or a workspace; null lifts one. Sources of the owner go by them from then on. */
export async function setQuotas(
  ctx: Platform,
  ownerId: OwnerId,
  change: Partial<Quotas>,
): Promise<Quotas> {
  const quotas = await updateQuotas(ctx.db, ownerId, { ...change, updatedAt: ctx.now() });
  if (!quotas) throw notFound(isId("user", ownerId) ? "user" : "workspace", ownerId);
  const told = await newestSources(ctx.db, ownerId, SOURCES_TOLD);
  const answers = await Promise.allSettled(told.map((id) => ctx.sources(id).heedQuotas()));
  for (const answer of answers)
    if (answer.status === "rejected") console.warn("A source was not told:", answer.reason);
  return quotas;
}

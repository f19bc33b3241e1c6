import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";

import type { DayUsage, PayerUsage, UsageReport, Used } from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";

/** The report of one emitter of a payer, as the payer's object writes it to D1. */
export function reportOf(
  payerId: OwnerId,
  emitterId: UsageReport["emitterId"],
  days: DayUsage[],
): PayerUsage {
  return { payerId, emitters: [{ emitterId, days, projectId: null }], webhooks: [] };
}

/** Fire the pending alarm of a source, which reports usage that would gather for seconds. */
export async function reportUsage(sourceId: string): Promise<void> {
  await runDurableObjectAlarm(env.SOURCES.getByName(sourceId));
}

/** The usage of an owner on a day, in D1 and in the owner's object. */
export async function usedOn(ownerId: OwnerId, day: string): Promise<Used> {
  await env.OWNERS.getByName(ownerId).flushUsage();
  const used = await env.DB.prepare(
    `SELECT invocations, compute_ms AS computeMs, credits FROM owner_usage WHERE owner_id = ? AND day = ?`,
  )
    .bind(ownerId, day)
    .first<Used>();
  return used ?? { invocations: 0, computeMs: 0, credits: 0 };
}

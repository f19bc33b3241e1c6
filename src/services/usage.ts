import * as store from "../db/usage.ts";
import { DAY_SECONDS, dayOf, EMITTER_DAYS, type UsageReport } from "../domain/billing.ts";
import { type Allowance, allowanceOf } from "../domain/quotas.ts";
import type { Platform } from "./context.ts";

/**
 * Take in what a source or a workflow used so far, and tell what its owner's quotas leave. A report may come again,
 * late or out of order: totals never go back. Days for which nobody knows any more what was reported are left as they are.
 */
export async function recordUsage(ctx: Platform, report: UsageReport): Promise<Allowance> {
  const now = ctx.now();
  const closed = dayOf(now - EMITTER_DAYS * DAY_SECONDS);
  const days = report.days.filter(({ day }) => day >= closed);
  const { used, quotas } = await store.recordUsage(ctx.db, { ...report, days }, dayOf(now));
  return allowanceOf(quotas, used);
}

import * as store from "../db/usage.ts";
import { dayOf, type UsageReport } from "../domain/billing.ts";
import { type Allowance, allowanceOf } from "../domain/quotas.ts";
import type { Platform } from "./context.ts";

/**
 * Take in what a source or a workflow used so far, and tell what its owner's quotas leave. A report may come again,
 * late or out of order: totals never go back.
 */
export async function recordUsage(ctx: Platform, report: UsageReport): Promise<Allowance> {
  const { used, quotas } = await store.recordUsage(ctx.db, report, dayOf(ctx.now()));
  return allowanceOf(quotas, used);
}

import { WorkerEntrypoint } from "cloudflare:workers";

import { recordDeliveries } from "#db/activity.ts";
import { connect } from "#db/client.ts";
import { addEgress } from "#db/egress.ts";
import type { DayDeliveries, EgressReport, UsageReport } from "#domain/billing.ts";
import type { Allowance } from "#domain/quotas.ts";
import { recordUsage } from "#services/usage.ts";
import { openContext } from "#worker/bindings.ts";

/** The usage reports of objects. They own their storage and never access D1; this does it for them. */
export class Metering extends WorkerEntrypoint<Env> {
  report(usage: UsageReport): Promise<Allowance> {
    return recordUsage(openContext(this.env), usage);
  }

  reportDeliveries(webhookId: string, days: DayDeliveries[]): Promise<void> {
    return recordDeliveries(connect(this.env.DB), webhookId, days);
  }

  reportEgress(sums: EgressReport[]): Promise<void> {
    return addEgress(connect(this.env.DB), sums);
  }
}

import { WorkerEntrypoint } from "cloudflare:workers";

import { connect } from "#db/client.ts";
import { addEgress } from "#db/egress.ts";
import { ownerOfDataStore, ownerOfWebhook, payerAndProject } from "#db/usage-reports.ts";
import type { EgressReport, PayerUsage } from "#domain/billing.ts";
import type { Id, OwnerId } from "#domain/ids.ts";
import type { QuotaState } from "#domain/quotas.ts";
import { recordUsage } from "#services/usage.ts";
import { openContext } from "#worker/bindings.ts";

/** The usage reports of objects. Objects never access D1; this does it for them. */
export class Metering extends WorkerEntrypoint<Env> {
  record(usage: PayerUsage): Promise<QuotaState> {
    return recordUsage(openContext(this.env), usage);
  }

  payerAndProject(owner: OwnerId): ReturnType<typeof payerAndProject> {
    return payerAndProject(connect(this.env.DB), owner);
  }

  ownerOfWebhook(id: Id<"webhook">): Promise<OwnerId | undefined> {
    return ownerOfWebhook(connect(this.env.DB), id);
  }

  ownerOfDataStore(id: Id<"data_store">): Promise<OwnerId | undefined> {
    return ownerOfDataStore(connect(this.env.DB), id);
  }

  reportEgress(sums: EgressReport[]): Promise<void> {
    return addEgress(connect(this.env.DB), sums);
  }
}

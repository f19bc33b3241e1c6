import { millisecondsOf } from "#domain/event-ids.ts";
import { log } from "#telemetry/log.ts";
import { Samples } from "#telemetry/metrics.ts";
import { Pace } from "#telemetry/pace.ts";
import { classOf } from "#telemetry/words.ts";

import type { Attempt } from "./contract.ts";
import type { Next, PendingDelivery } from "./delivery-rows.ts";

/** Logs and measures deliveries for operators, without their contents. Never throws. */
export class Telemetry {
  readonly #samples = new Samples();
  readonly #failures = new Pace();

  /** Record an attempt of a delivery and its outcome. */
  attempted(
    webhookId: string,
    pending: PendingDelivery,
    { attempt, next }: { attempt: Attempt; next: Next },
  ): void {
    const nowMs = Date.now();
    const outcome = next.state;
    const { latencyMs: duration_ms, status } = attempt;
    const age_ms = nowMs - millisecondsOf(pending.position);
    const measured = { outcome, duration_ms, attempt: pending.attempt, age_ms };
    this.#samples.add({ kind: "delivery", webhook_id: webhookId, ...measured }, nowMs);
    const fields = {
      request_id: pending.requestId,
      webhook_id: webhookId,
      emitter_id: pending.emitterId,
      event_id: pending.eventId,
      emit_id: pending.emitId,
      ...measured,
      status: classOf(status ?? 0),
    };
    const failures = outcome === "delivered" ? 0 : this.#failures.due(nowMs);
    if (failures > 0) log("delivery_failed", { ...fields, count: failures });
    else log("delivery_attempted", fields);
  }

  /** Record the deactivation of a webhook that responded with 410 or failed for too long. */
  deactivated(webhookId: string): void {
    log("webhook_deactivated", { webhook_id: webhookId });
  }

  /** Write the measurements. */
  flush(): void {
    this.#samples.flush();
  }
}

import type { Delivery } from "#domain/deliveries.ts";
import { millisecondsOf } from "#domain/event-ids.ts";
import { isId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";
import { measure } from "#telemetry/metrics.ts";

/** The outcome of events for one listener: accepted, refused, or excluded by its filters. */
export type Handover = {
  id: string;
  deliveries: readonly Delivery[];
  outcome: "taken" | "refused" | "filtered";
};

/** Log and measure the deliveries of a batch to listeners: one data point for each kind of listener and outcome. */
export function logHandovers(handovers: readonly Handover[]): void {
  const nowMs = Date.now();
  const sums = new Map<
    string,
    { listener_kind: string; outcome: string; count: number; age_ms: number }
  >();
  for (const { id, deliveries, outcome } of handovers) {
    const listener_kind = kindOf(id);
    const name = `${listener_kind} ${outcome}`;
    const sum = sums.get(name) ?? { listener_kind, outcome, count: 0, age_ms: 0 };
    sums.set(name, sum);
    sum.count += deliveries.length;
    for (const { position, requestId: request_id, emitterId, eventId, emitId } of deliveries) {
      const age_ms = nowMs - millisecondsOf(position);
      sum.age_ms = Math.max(sum.age_ms, age_ms);
      const ids = { request_id, emitter_id: emitterId, event_id: eventId, emit_id: emitId };
      log("event_handed_over", { ...ids, listener_id: id, outcome, age_ms });
    }
  }
  for (const sum of sums.values()) measure({ kind: "handover", ...sum });
}

function kindOf(listenerId: string): string {
  const kinds = ["source", "workflow", "webhook"] as const;
  return kinds.find((kind) => isId(kind, listenerId)) ?? "unknown";
}

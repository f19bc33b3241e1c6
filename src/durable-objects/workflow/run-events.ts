import type { Subject } from "#domain/alerts.ts";
import { eventId, nextPosition } from "#domain/event-ids.ts";
import type { EventSummary } from "#domain/events.ts";
import { toJson } from "#domain/json.ts";
import { type TriggerContext, triggerContext } from "#domain/workflows.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";

import type { Sent, WorkflowDeployment } from "./contract.ts";
import { type RunRow, traceIdOf } from "./run-rows.ts";

export function subjectOf({ workflowId: id, name }: WorkflowDeployment): Subject {
  return { type: "workflow", id, name };
}

/** The circumstances that a run began in. */
export function contextOf(run: RunRow, deployment: WorkflowDeployment): TriggerContext {
  const { id, source_type: sourceType, emitter_id: emitterId, queued_ms: beganMs } = run;
  const traceId = traceIdOf(run);
  return triggerContext({ id, sourceType, emitterId, beganMs, traceId }, deployment);
}

export function eventOf(
  { channel, payload, budget }: Sent,
  { hops, request_id }: { hops: number; request_id?: string | null },
): NewEvent {
  const requestId = request_id ?? undefined;
  const emitId = crypto.randomUUID();
  return { channel, payload, emitId, hops: hops + 1, budget, meta: toJson({}), requestId };
}

/** An event that is not stored, for readers of the workflow's stream. */
export function passing({ channel, payload }: Sent): EventSummary {
  const indexedAtMs = Date.now();
  const id = eventId(nextPosition(0, indexedAtMs));
  const emitId = crypto.randomUUID();
  return { id, indexedAtMs, payload, truncated: false, channel, emitId, meta: {} };
}

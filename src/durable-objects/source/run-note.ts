import { RUN_CHANNEL } from "#domain/channels.ts";
import { eventId, type Position } from "#domain/event-ids.ts";
import type { EventSummary } from "#domain/events.ts";
import type { Failure } from "#domain/invocation.ts";
import { isJsonObject, type Json, valueOf } from "#domain/json.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";
import type { Outcome } from "#sandbox/user-code.ts";

/** The start of a run. */
type Run = {
  runId: string;
  event: string | null;
  begun?: { trigger: string; sinceMs: number } | undefined;
  computeMs?: number;
};

/** Maximum size of an event in a note: a reader of the stream may repeat the run. */
const MAX_EVENT_LENGTH = 64 * 1024;

/** The admitted events of an outcome, the number of duplicates, and the reasons why others were refused. */
export type Committed = { events: readonly NewEvent[]; duplicates: number; refusals: Failure[] };

type Results = Committed & { position: Position };

/** The note about an ended run for readers of the source's stream. It is not stored. */
export function runNote(run: Run, outcome: Outcome, results: Results): EventSummary {
  const { events, duplicates, refusals, position } = results;
  const { runId, begun, computeMs = 0 } = run;
  const nowMs = Date.now();
  const failure = outcome.failure ?? refusals[0];
  const note = {
    run_id: runId,
    trigger: begun?.trigger,
    ...eventIn(run),
    outcome: failure ? "failed" : "succeeded",
    ...(outcome.response && { response_status: outcome.response.status }),
    duration_ms: nowMs - (begun?.sinceMs ?? nowMs),
    compute_ms: computeMs,
    emitted: events.length,
    duplicates,
  };
  return {
    id: eventId(position),
    indexedAtMs: nowMs,
    payload: JSON.stringify(note),
    truncated: false,
    channel: RUN_CHANNEL,
    emitId: crypto.randomUUID(),
    meta: {},
  };
}

/** The event if it is small, and method and path if it is a request. */
function eventIn({ begun, event }: Run): Record<string, Json> {
  if (event === null || event.length > MAX_EVENT_LENGTH) return {};
  const value = valueOf(event);
  if (begun?.trigger !== "http" || !isJsonObject(value)) return { event: value };
  const { method = "", path = "" } = value;
  return { method, path, event: value };
}

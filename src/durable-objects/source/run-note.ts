import { RUN_CHANNEL } from "#domain/channels.ts";
import { eventId, type Position } from "#domain/event-ids.ts";
import type { EventSummary } from "#domain/events.ts";
import type { Failure } from "#domain/invocation.ts";
import { isJsonObject, valueOf } from "#domain/json.ts";
import type { Outcome } from "#sandbox/user-code.ts";

/** What a run began with. */
type Run = {
  runId: string;
  event: string | null;
  begun?: { trigger: string; sinceMs: number } | undefined;
  computeMs?: number;
};

type Place = { refusals: readonly Failure[]; position: Position };

/** A run that ended, as those see it who follow the source. It is kept nowhere. */
export function runNote(run: Run, outcome: Outcome, { refusals, position }: Place): EventSummary {
  const { runId, begun, computeMs = 0 } = run;
  const nowMs = Date.now();
  const failure = outcome.failure ?? refusals[0];
  const note = {
    run_id: runId,
    trigger: begun?.trigger,
    ...requestIn(run),
    outcome: failure ? "failed" : "succeeded",
    ...(outcome.response && { response_status: outcome.response.status }),
    duration_ms: nowMs - (begun?.sinceMs ?? nowMs),
    compute_ms: computeMs,
    emitted: outcome.emitted.length,
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

/** Method and path of the request that it is a run of. */
function requestIn({ begun, event }: Run): { method?: string; path?: string } {
  if (begun?.trigger !== "http" || event === null) return {};
  const request = valueOf(event);
  if (!isJsonObject(request)) return {};
  const { method, path } = request;
  return {
    ...(typeof method === "string" && { method }),
    ...(typeof path === "string" && { path }),
  };
}

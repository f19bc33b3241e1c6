import { fromJson, isJsonObject, valueOf } from "#domain/json.ts";
import type { Emitter } from "#domain/routes.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";
import type { Outcome } from "#sandbox/user-code.ts";
import type { ShownRun } from "#telemetry/shown-runs.ts";

import type { Job } from "./queue.ts";
import type { Run } from "./run-committer.ts";

/** Counts who would receive events of some channels of an emitter. */
export type CountListeners = (emitter: Emitter, channels: string[]) => Promise<number>;

/** How many summaries a line has room for. */
const MAX_SUMMARIES = 3;

type Ended = { job: Pick<Job, "trigger" | "host">; sinceMs: number };

/** A run with what was committed of it, as the terminal shows it. Rejects if the listeners cannot be counted. */
export async function shownRun(
  run: Run,
  { job, sinceMs }: Ended,
  {
    outcome,
    events,
    countListeners,
  }: { outcome: Outcome; events: readonly NewEvent[]; countListeners: CountListeners },
): Promise<ShownRun> {
  const durationMs = Date.now() - sinceMs;
  const { sourceId: id, ownerId, name = id } = run.deployment;
  const channels = [...new Set(events.map(({ channel }) => channel))];
  const summaries = events.flatMap(({ meta }) => fromJson(meta).summary ?? []);
  return {
    trigger: job.trigger,
    ...(job.trigger === "http" && { ...requestIn(run.event), status: statusOf(job, outcome) }),
    name,
    duration_ms: durationMs,
    events: events.length,
    summaries: summaries.slice(0, MAX_SUMMARIES),
    listeners: events.length === 0 ? 0 : await countListeners({ id, ownerId }, channels),
    ...(outcome.failure && { failure: outcome.failure }),
  };
}

function requestIn(event: string | null): Pick<ShownRun, "method" | "path"> {
  const request = valueOf(event ?? "");
  if (!isJsonObject(request)) return {};
  const { method, path } = request;
  return typeof method === "string" && typeof path === "string" ? { method, path } : {};
}

/** The response to the caller of an endpoint: the component's own if it gives one, else 200 at once. */
function statusOf({ host }: Pick<Job, "host">, { response, failure }: Outcome): number {
  if (!host) return 200;
  return response?.status ?? (failure ? 502 : 400);
}

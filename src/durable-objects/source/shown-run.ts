import { fromJson, isJsonObject, valueOf } from "#domain/json.ts";
import type { Emitter } from "#domain/routes.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";
import type { Outcome } from "#sandbox/user-code.ts";
import { log } from "#telemetry/log.ts";
import { showRun, type ShownRun } from "#telemetry/shown-runs.ts";

import type { Job } from "./queue.ts";
import type { Run } from "./run-committer.ts";

/** Counts the listeners that would receive events of some channels of an emitter. */
export type CountListeners = (emitter: Emitter, channels: string[]) => Promise<number>;

/** Maximum summaries in a line. */
const MAX_SUMMARIES = 3;

/**
 * Time for which runs gather before they are shown: no response may wait for it, and a burst looks up its listeners
 * once.
 */
const GATHER_MS = 50;

type Ended = { job: Pick<Job, "trigger" | "host">; sinceMs: number };

/** A run without counted listeners. */
type Gathered = { shown: ShownRun; emitter: Emitter; channels: string[] };

/** Shows runs on the terminal, soon after they have ended. Never throws. */
export class ShownRuns {
  readonly #countListeners: CountListeners;
  #gathered: Gathered[] = [];

  constructor(countListeners: CountListeners) {
    this.#countListeners = countListeners;
  }

  /** Show a run with its committed results. */
  add(run: Run, ended: Ended, committed: { outcome: Outcome; events: readonly NewEvent[] }): void {
    this.#gathered.push(gatheredOf(run, ended, committed));
    if (this.#gathered.length === 1) void this.#showSoon();
  }

  async #showSoon(): Promise<void> {
    await scheduler.wait(GATHER_MS);
    const gathered = this.#gathered;
    this.#gathered = [];
    const counts = new Map<string, number>();
    // Lines keep the order of the runs.
    for (const { shown, emitter, channels } of gathered)
      try {
        const key = channels.join("\n");
        const listeners = counts.get(key) ?? (await this.#count(emitter, channels));
        counts.set(key, listeners);
        showRun({ ...shown, listeners });
      } catch (error) {
        log("run_unshown", { source_id: emitter.id, error });
      }
  }

  async #count(emitter: Emitter, channels: string[]): Promise<number> {
    return channels.length === 0 ? 0 : this.#countListeners(emitter, channels);
  }
}

function gatheredOf(
  run: Run,
  { job, sinceMs }: Ended,
  { outcome, events }: { outcome: Outcome; events: readonly NewEvent[] },
): Gathered {
  const { sourceId: id, ownerId, name = id } = run.deployment;
  const summaries = events.flatMap(({ meta }) => fromJson(meta).summary ?? []);
  const shown = {
    trigger: job.trigger,
    ...(job.trigger === "http" && { ...requestIn(run.event), status: statusOf(job, outcome) }),
    name,
    duration_ms: Date.now() - sinceMs,
    events: events.length,
    summaries: summaries.slice(0, MAX_SUMMARIES),
    ...(outcome.failure && { failure: outcome.failure }),
  };
  const channels = [...new Set(events.map(({ channel }) => channel))].toSorted();
  return { shown, emitter: { id, ownerId }, channels };
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

import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { RUN_ABANDONED } from "#domain/parked-events.ts";
import type { NewEvent } from "#durable-objects/emitter/history.ts";
import type { Outcome } from "#sandbox/user-code.ts";
import { log } from "#telemetry/log.ts";
import { Samples } from "#telemetry/metrics.ts";
import { Pace } from "#telemetry/pace.ts";
import { showsRuns } from "#telemetry/shown-runs.ts";

import type { Deployment } from "./contract.ts";
import type { Job } from "./queue.ts";
import type { Run } from "./run-committer.ts";
import { type CountListeners, ShownRuns } from "./shown-run.ts";

type Ended = { job: Pick<Job, "trigger" | "host">; sinceMs: number };

/** Logs and measures runs for operators, without their contents. Never throws. */
export class Telemetry {
  readonly #samples = new Samples();
  readonly #failures = new Pace();
  readonly #shown: ShownRuns;

  constructor(countListeners: CountListeners) {
    this.#shown = new ShownRuns(countListeners);
  }

  /** Record a committed run that waited since `sinceMs`, with its events other than errors and logs. */
  ended(run: Run, ended: Ended, outcome: Outcome, events: readonly NewEvent[]): void {
    this.#measure(run, ended, outcome);
    if (showsRuns()) this.#shown.add(run, ended, { outcome, events });
  }

  #measure(run: Run, { job, sinceMs }: Ended, { failure, emitted }: Outcome): void {
    const nowMs = Date.now();
    const { sourceId, ownerId: owner_id } = run.deployment;
    const outcome = failure ? wordFor(failure.name) : "succeeded";
    const measured = {
      owner_id,
      outcome,
      trigger: job.trigger,
      duration_ms: nowMs - sinceMs,
      compute_ms: run.computeMs ?? 0,
    };
    this.#samples.add({ kind: "run", emitter_id: sourceId, ...measured }, nowMs);
    const ids = { request_id: run.requestId, run_id: run.runId, source_id: sourceId };
    const failures = failure ? this.#failures.due(nowMs) : 0;
    if (failures > 0) log("run_failed", { ...ids, ...measured, count: failures });
    else log("run_ended", { ...ids, ...measured, count: emitted.length });
  }

  /** Record events that are in the outbox for too long, oldest first. */
  backlog(deployment: Deployment | undefined, late: readonly Position[]): void {
    const [oldest] = late;
    if (!deployment || oldest === undefined) return;
    const { sourceId: emitter_id, ownerId: owner_id } = deployment;
    const age_ms = Date.now() - millisecondsOf(oldest);
    this.#samples.add({ kind: "outbox", owner_id, emitter_id, age_ms, events: late.length });
  }

  /** Write the measurements. */
  flush(): void {
    this.#samples.flush();
  }
}

function wordFor(name: string): "failed" | "abandoned" {
  return name === RUN_ABANDONED ? "abandoned" : "failed";
}

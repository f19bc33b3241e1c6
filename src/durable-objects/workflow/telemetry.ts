import { millisecondsOf, type Position } from "#domain/event-ids.ts";
import { log } from "#telemetry/log.ts";
import { Samples } from "#telemetry/metrics.ts";
import { Pace } from "#telemetry/pace.ts";
import { showRun, showsRuns } from "#telemetry/shown-runs.ts";

import type { RunEnd, WorkflowDeployment } from "./contract.ts";
import type { RunRow } from "./run-rows.ts";

/** Logs and measures the runs of a workflow for operators, without their data. Never throws. */
export class Telemetry {
  readonly #samples = new Samples();
  readonly #failures = new Pace();

  /** Record an ended run, with the duration of its steps. */
  ended(deployment: WorkflowDeployment, run: RunRow, end: RunEnd & { computeMs: number }): void {
    this.#measure(deployment, run, end);
    if (!showsRuns()) return;
    const { state, failure } = end;
    const duration_ms = Date.now() - run.queued_ms;
    const { source_type: trigger } = run;
    showRun({
      trigger,
      name: deployment.name,
      duration_ms,
      state,
      ...(failure && { failure }),
    });
  }

  #measure(
    { workflowId, ownerId: owner_id }: WorkflowDeployment,
    { id: run_id, request_id, source_type: trigger, queued_ms }: RunRow,
    { state: outcome, computeMs: compute_ms }: RunEnd & { computeMs: number },
  ): void {
    const nowMs = Date.now();
    const measured = { owner_id, outcome, trigger, duration_ms: nowMs - queued_ms, compute_ms };
    this.#samples.add({ kind: "run", emitter_id: workflowId, ...measured }, nowMs);
    const fields = { request_id: request_id ?? undefined, run_id, workflow_id: workflowId };
    const failures = outcome === "failed" ? this.#failures.due(nowMs) : 0;
    if (failures > 0) log("run_failed", { ...fields, ...measured, count: failures });
    else log("run_ended", { ...fields, ...measured });
  }

  /** Record events that are in the outbox for too long, oldest first. */
  backlog(deployment: WorkflowDeployment | undefined, late: readonly Position[]): void {
    const [oldest] = late;
    if (!deployment || oldest === undefined) return;
    const { workflowId: emitter_id, ownerId: owner_id } = deployment;
    const age_ms = Date.now() - millisecondsOf(oldest);
    this.#samples.add({ kind: "outbox", owner_id, emitter_id, age_ms, events: late.length });
  }

  /** Write the measurements. */
  flush(): void {
    this.#samples.flush();
  }
}

import { afterAccountCheck, afterTick } from "#domain/alerts.ts";
import { newFailure } from "#domain/invocation.ts";
import { workflowTickEvent } from "#domain/schedule.ts";
import { reasonToSkip } from "#durable-objects/emitter/admission.ts";
import { REDELIVERY_DELAY_MS } from "#durable-objects/emitter/outbox.ts";
import { log } from "#telemetry/log.ts";

import type { RunRow } from "./run-rows.ts";
import { instanceId } from "./starter.ts";
import type { WiredWorkflow } from "./wiring.ts";

/** Maximum events that one alarm sends from the outbox to the queue. */
const SWEEP_LENGTH = 10_000;

/** Maximum unreported runs that one alarm checks with the engine. */
const MAX_CHECKED = 100;

/** End states of an instance. */
const OVER = new Set(["errored", "terminated", "complete"]);

/**
 * Do everything that is due when the alarm fires. It may fire twice for one time: everything here is idempotent. Events
 * that are older than `redeliveryDelayMs` are sent to the queue again.
 */
export async function handleAlarm(
  workflow: WiredWorkflow,
  redeliveryDelayMs = REDELIVERY_DELAY_MS,
): Promise<void> {
  const { runs, starter, sender, inboxDedupe, outbox, history, alarm, meter, telemetry } = workflow;
  try {
    sender.pump();
    await meter.refresh();
    tick(workflow, Date.now());
    inboxDedupe.prune(Date.now());
    const late = history.undelivered(Date.now() - redeliveryDelayMs, SWEEP_LENGTH);
    outbox.notify(late);
    telemetry.backlog(workflow.deployments.current(), late);
    await starter.pump();
    const silent = runs.checks.silent(Date.now(), MAX_CHECKED);
    await Promise.all(silent.map((run) => check(workflow, run)));
    await workflow.ended.deleteDue(Date.now());
    await workflow.accountWatch.check((lost) => settleAccounts(workflow, lost));
    await workflow.alerts.report(workflow.workflowId, Date.now());
    await meter.rollUp();
  } finally {
    telemetry.flush();
    // The runtime drops an alarm that fails six times, so the next one is set even after a failure.
    alarm.rearm();
  }
}

/** Alert the owner of lost accounts, or end that alert. An inactive workflow needs no accounts and sends no alert. */
function settleAccounts({ committer, deployments }: WiredWorkflow, lost: readonly string[]): void {
  if (lost.length === 0 || deployments.isActive())
    committer.alert((state) => afterAccountCheck(state, lost, Date.now()));
}

/** Begin a run for the due tick, unless the run of the last one is still under way. */
function tick(workflow: WiredWorkflow, nowMs: number): void {
  const { timers, committer, runs, meter } = workflow;
  // Written in one transaction with the writes below: nothing is awaited between them.
  for (const due of timers.take(nowMs)) {
    const { dueMs, schedule } = due;
    const why = reasonToSkip(meter, { isPending: runs.isTicking(), load: runs.load() });
    if (why !== undefined) {
      committer.log("warn", `A tick was skipped: ${why}`);
      continue;
    }
    committer.alert((state) => afterTick(state, due, nowMs));
    const event = JSON.stringify(workflowTickEvent(schedule, dueMs));
    const id = `tick-${dueMs}`;
    const requestId = crypto.randomUUID();
    committer.begin([{ id, event, hops: 0, sourceType: "timer", emitterId: null, requestId }]);
  }
}

/**
 * Query the engine about a run that has not reported for a while. A lost run is created again; an existing one is sent
 * an event, because a local engine does not resume by itself after its process ended.
 */
async function check(workflow: WiredWorkflow, run: RunRow): Promise<void> {
  const { engine, starter, committer, workflowId } = workflow;
  try {
    await starter.create([run.id]);
    const instance = await engine.get(instanceId(workflowId, run.id));
    const { status, error } = await instance.status();
    if (!OVER.has(status)) {
      await instance.sendEvent({ type: "nudge", payload: {} });
      return;
    }
    const message = error?.message ?? "The engine ended the run without an outcome";
    const failure = newFailure(error?.name ?? "EngineError", message);
    const current = workflow.runs.byId(run.id);
    if (current) committer.end(current, { state: "failed", failure, step: null });
  } catch (error) {
    log("engine_unreachable", { workflow_id: workflowId, run_id: run.id, error });
  }
}

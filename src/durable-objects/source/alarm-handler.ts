import { afterAccountCheck, afterTick } from "#domain/alerts.ts";
import type { Position } from "#domain/event-ids.ts";
import { tickEvent } from "#domain/schedule.ts";
import { maxWireBytes } from "#domain/wire-size.ts";
import { reasonToSkip } from "#durable-objects/emitter/admission.ts";
import { REDELIVERY_DELAY_MS } from "#durable-objects/emitter/outbox.ts";

import { newJob } from "./queue.ts";
import { runOf } from "./run-committer.ts";
import type { WiredSource } from "./wiring.ts";

/** Maximum events that one alarm sends from the outbox to the queue. */
const SWEEP_LENGTH = 10_000;

/**
 * Handle the alarm: do everything that is due. An alarm may fire twice: each effect is recorded in the same
 * transaction, or harmless to repeat. Events that are older than `redeliveryDelayMs` are sent to the queue again.
 */
export async function handleAlarm(
  source: WiredSource,
  redeliveryDelayMs = REDELIVERY_DELAY_MS,
): Promise<void> {
  const { committer, history, outbox, alarm, lifecycle, meter, runner, telemetry } = source;
  try {
    await lifecycle.recover();
    await meter.refresh();
    source.invoker.giveUp(Date.now());
    tick(source, Date.now());
    runner.resume();
    source.inboxDedupe.prune(Date.now());
    committer.promoteDue();
    const late = history.undelivered(Date.now() - redeliveryDelayMs, SWEEP_LENGTH);
    outbox.notify(late);
    telemetry.backlog(source.deployments.current(), late);
    await source.accountWatch.check((lost) => settleAccounts(source, lost));
    await source.alerts.report(source.sourceId, Date.now());
    await meter.rollUp();
  } finally {
    telemetry.flush();
    // The runtime drops an alarm that fails six times, so the next one is set even after a failure.
    alarm.rearm();
  }
}

/** Alert the owner of lost accounts, or end that alert. What is inactive needs none: that alerts nobody. */
function settleAccounts(
  { committer, publisher, deployments }: WiredSource,
  lost: readonly string[],
) {
  if (lost.length > 0 && !deployments.status().active) return;
  publisher.publish(committer.alert((state) => afterAccountCheck(state, lost, Date.now())));
}

/** Store the ticks that are due in the inbox, so that a crash loses none. */
function tick(source: WiredSource, nowMs: number): void {
  const { timers, inbox, runner, meter, committer, deployments, publisher } = source;
  const alerts: Position[] = [];
  const skipped: { prop: string; why: string }[] = [];
  const taken = committer.inTransaction(() =>
    timers.take(nowMs).flatMap((due, index) => {
      const isPending = inbox.holdsTick(due.prop);
      const why = reasonToSkip(meter, { isPending, load: runner.load() + index });
      if (why === undefined) {
        alerts.push(...committer.alert((state) => afterTick(state, due, nowMs)));
        const event = JSON.stringify(tickEvent(due.schedule, due.dueMs));
        const requestId = crypto.randomUUID();
        const seq = inbox.put(event, { attempts: 0, timer: due.prop, requestId });
        return [{ seq, requestId, bytes: maxWireBytes(event) }];
      }
      skipped.push({ prop: due.prop, why });
      return [];
    }),
  );
  publisher.publish(alerts);
  for (const { seq, bytes, requestId } of taken)
    void runner.submit(newJob({ seq, bytes }, { trigger: "timer", requestId }));
  const deployment = deployments.current();
  if (!deployment || skipped.length === 0) return;
  const logs = skipped.map(({ prop, why }) => ({
    level: "warn",
    message: `A tick of "${prop}" was skipped: ${why}`,
    atMs: nowMs,
  }));
  committer.commit(runOf(deployment), { emitted: [], db: {}, logs });
}

import { tickEvent } from "../domain/schedule.ts";
import { REDELIVERY_DELAY_MS } from "../emitter/outbox.ts";
import type { Tick } from "../objects/timers.ts";
import { runOf } from "./ledger.ts";
import type { Parts } from "./parts.ts";
import { newJob } from "./queue.ts";

/** How many events one sweep of the outbox tells the queue of. */
const SWEEP_LENGTH = 10_000;

/**
 * Do all that is due when the alarm rings. It may ring twice for one time: what this does is recorded in the same
 * transaction, or harmless to repeat.
 */
export async function ring(parts: Parts): Promise<void> {
  const { ledger, history, outbox, alarm, lifecycle } = parts;
  try {
    await lifecycle.recover();
    parts.invoker.giveUp(Date.now());
    tick(parts, Date.now());
    parts.arrivals.prune(Date.now());
    ledger.promoteDue();
    outbox.notify(history.undelivered(Date.now() - REDELIVERY_DELAY_MS, SWEEP_LENGTH));
    await parts.meter.rollUp();
  } finally {
    // An alarm that fails six times is gone, so the next one is set whatever happened to this one.
    alarm.rearm();
  }
}

/** Take in the ticks that are due. From then on the inbox owes each its run, whatever dies. */
function tick({ storage, timers, inbox, runner, ledger, deployments }: Parts, nowMs: number): void {
  const skipped: Tick[] = [];
  const taken = storage.transactionSync(() =>
    timers.take(nowMs).flatMap((due) => {
      if (!inbox.holdsTick(due.prop)) {
        const event = JSON.stringify(tickEvent(due.schedule, due.dueMs));
        return [inbox.put(event, { attempts: 0, timer: due.prop })];
      }
      skipped.push(due);
      return [];
    }),
  );
  for (const seq of taken) void runner.submit(newJob({ seq }));
  const deployment = deployments.current();
  if (!deployment || skipped.length === 0) return;
  const logs = skipped.map(({ prop }) => ({
    level: "warn",
    message: `A tick of "${prop}" was skipped: the run of the last one has not ended`,
    atMs: nowMs,
  }));
  ledger.commit(runOf(deployment), { emitted: [], db: {}, logs });
}

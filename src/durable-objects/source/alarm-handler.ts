import { afterAccountCheck } from "#domain/alerts.ts";
import { REDELIVERY_DELAY_MS } from "#durable-objects/emitter/outbox.ts";

import type { QuickTick } from "./ticks.ts";
import type { WiredSource } from "./wiring.ts";

/** Maximum events that one alarm sends from the outbox to the queue. */
const SWEEP_LENGTH = 10_000;

type Circumstances = {
  /** Events that are older are sent to the queue again. */
  redeliveryDelayMs?: number;
  /** Whether the due work may have crashed the process. */
  isRetry?: boolean;
};

/**
 * Handle the alarm: do everything that is due. An alarm may fire twice: each effect is recorded in the same
 * transaction, or harmless to repeat.
 */
export async function handleAlarm(
  source: WiredSource,
  { redeliveryDelayMs = REDELIVERY_DELAY_MS, isRetry = false }: Circumstances = {},
): Promise<void> {
  let ticks: QuickTick[] = [];
  try {
    await source.lifecycle.recover();
    await source.siblings.deploy();
    await source.meter.refresh();
    source.invoker.giveUp(Date.now());
    ticks = source.ticks.begin(Date.now(), isRetry);
    await handleRest(source, redeliveryDelayMs);
  } finally {
    await settle(source, ticks);
  }
}

async function handleRest(source: WiredSource, redeliveryDelayMs: number): Promise<void> {
  const { committer, history, outbox, runner, telemetry } = source;
  runner.resume();
  source.inboxDedupe.prune(Date.now());
  committer.promoteDue();
  const late = history.undelivered(Date.now() - redeliveryDelayMs, SWEEP_LENGTH);
  outbox.notify(late);
  telemetry.backlog(source.deployments.current(), late);
  await source.accountWatch.check((lost) => settleAccounts(source, lost));
  await source.shardAlerts.settle(
    (decide) => source.publisher.publish(committer.alert(decide)),
    Date.now(),
  );
  // Those of a source with shards are in its own object.
  if (!source.role) await source.alerts.report(source.sourceId, Date.now());
}

async function settle(
  { ticks: running, meter, telemetry, alarm }: WiredSource,
  ticks: readonly QuickTick[],
): Promise<void> {
  try {
    await running.settle(ticks);
    await meter.rollUp();
  } finally {
    telemetry.flush();
    // The runtime drops an alarm that fails six times, so the next one is set even after a failure.
    alarm.rearm();
  }
}

/** Alert the owner of lost accounts, or end that alert. An inactive source needs no accounts and sends no alert. */
function settleAccounts(
  { committer, publisher, deployments }: WiredSource,
  lost: readonly string[],
) {
  if (lost.length > 0 && !deployments.status().active) return;
  publisher.publish(committer.alert((state) => afterAccountCheck(state, lost, Date.now())));
}

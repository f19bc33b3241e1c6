import type { EmissionMessage } from "#domain/messages.ts";
import type { ReportAlerts } from "#durable-objects/emitter/alerts.ts";
import { REDELIVERY_DELAY_MS } from "#durable-objects/emitter/outbox.ts";
import { Alarm, earliest } from "#durable-objects/shared/alarm.ts";
import type { Network } from "#sandbox/egress/network.ts";
import { log } from "#telemetry/log.ts";
import type { Vault } from "#vault/vault.ts";

import { DeliveryActivity, type ReportDeliveries } from "./activity.ts";
import { createAlerts } from "./alerts.ts";
import { Deliveries } from "./deliveries.ts";
import { DeliveryRoom } from "./delivery-room.ts";
import { type Report, EndpointHealth } from "./endpoint-health.ts";
import { Intake, RECOVERY_DELAY_MS, RETENTION_MS } from "./intake.ts";
import { DeliveryLog } from "./log.ts";
import { Replays } from "./replays.ts";
import { Secrets } from "./secrets.ts";
import { Sender } from "./sender.ts";
import { Telemetry } from "./telemetry.ts";

/** Old deliveries are deleted in batches, because each search for them costs an alarm. */
const MIN_RETENTION_PAUSE_MS = 60 * 60 * 1000;

/** Delay of the next report after a failed one. */
const REPORT_DELAY_MS = 60_000;

type Deps = {
  /** The name of the object, by which callers address it. */
  name: string | undefined;
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  network: Network;
  vault: Vault;
  report: Report;
  reportAlerts: ReportAlerts;
  reportDeliveries: ReportDeliveries;
};

/** The wired parts of a webhook object, over its storage. */
export type WiredWebhook = ReturnType<typeof createWebhook>;

export function createWebhook({ name, storage, queue, network, vault, report, ...deps }: Deps) {
  const deliveries = new Deliveries(storage);
  const telemetry = new Telemetry();
  const health = new EndpointHealth(storage.kv, report);
  const activity = new DeliveryActivity(storage.kv, deps.reportDeliveries);
  const webhookId = (): string => {
    const id = health.current?.id ?? name;
    if (id === undefined) throw new Error("A webhook without an id has no secrets");
    return id;
  };
  const secrets = new Secrets({ kv: storage.kv, vault, webhookId });
  const emitter = createAlerts({ ...deps, storage, queue, health });
  const { alerts, history } = emitter;
  const alarm = new Alarm(storage, () => {
    const nowMs = Date.now();
    const oldestMs = deliveries.oldestMs();
    const retentionMs = oldestMs === undefined ? undefined : oldestMs + RETENTION_MS;
    return earliest(
      health.isReported() ? undefined : nowMs + REPORT_DELAY_MS,
      history.oldestUndeliveredMs() === undefined ? undefined : nowMs + REDELIVERY_DELAY_MS,
      alerts.nextDueMs(),
      activity.nextDueMs(nowMs),
      retentionMs && Math.max(retentionMs, nowMs + MIN_RETENTION_PAUSE_MS),
    );
  });
  const sending = { deliveries, secrets, health, alerts, activity, alarm, network, telemetry };
  const sender = new Sender({ ...sending, vault });
  alarm.include(() => {
    const nowMs = Date.now();
    // Deliveries that the sender already has are due too, but must not set the alarm again and again.
    const isBusy = sender.isBusy();
    const isWaiting = isBusy || deliveries.waiting(nowMs, 1).length > 0;
    const isDelayed = isWaiting || deliveries.isUnrecovered;
    const recoveryMs = isDelayed ? nowMs + RECOVERY_DELAY_MS : undefined;
    return earliest(deliveries.nextDueMs(isBusy ? nowMs : 0), recoveryMs);
  });
  const intake = new Intake({ deliveries, sender, alarm });
  return {
    ...sending,
    ...emitter,
    storage,
    vault,
    room: new DeliveryRoom(storage.sql, deliveries),
    log: new DeliveryLog(storage.sql),
    replays: new Replays(storage.sql),
    sender,
    intake,
  };
}

/** Give deliveries that an earlier process stored in batches their rows. If that fails, the alarm repeats it. */
export function recoverBatches({ deliveries, health, alarm }: WiredWebhook): void {
  try {
    if (!deliveries.recover(health.isActive())) return;
  } catch (error) {
    log("delivery_unsettled", { webhook_id: health.current?.id, error });
  }
  alarm.arm(Date.now() + RECOVERY_DELAY_MS);
}

/** Do everything that is due when the alarm fires. */
export async function handleAlarm(webhook: WiredWebhook): Promise<void> {
  const { deliveries, sender, health, alerts, activity, alarm, telemetry } = webhook;
  try {
    deliveries.forget(Date.now() - RETENTION_MS);
    if (deliveries.isUnrecovered) recoverBatches(webhook);
    sender.resume();
    deliveries.watermark.advance();
    await health.report();
    if (!sender.isStopped) alerts.send();
    if (!sender.isStopped) await alerts.report();
    if (!sender.isStopped) await activity.flush(health.current?.id, Date.now());
  } finally {
    telemetry.flush();
    // The runtime drops an alarm that fails six times, so the next one is set even after a failure.
    if (!sender.isStopped) alarm.rearm();
  }
}

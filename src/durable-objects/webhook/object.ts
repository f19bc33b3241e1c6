import { DurableObject } from "cloudflare:workers";

import type { Termination } from "#domain/agent-events.ts";
import type { DeliveriesReport } from "#domain/billing.ts";
import type { Claim } from "#domain/deliveries.ts";
import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";
import type { OwnerId } from "#domain/ids.ts";
import { queueOf } from "#domain/queues.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";
import { networkOf } from "#sandbox/egress/network.ts";
import { openVault } from "#vault/vault.ts";

import { admitted, challenge, controlMessage } from "./agent-delivery.ts";
import { progressOf } from "./agent-progress.ts";
import { TIMEOUT_MS, transmit } from "./attempt.ts";
import type {
  AgentProgress,
  CallbackFailure,
  DeliveryDetails,
  DeliveryPage,
  DeliveryQuery,
  NewCallback,
  NewDelivery,
  Secret,
  ServingSettings,
  SigningSecret,
  WebhookControl,
  WebhookSettings,
  WebhookSnapshot,
  WebhookStatus,
} from "./contract.ts";
import { detailsOf } from "./details.ts";
import { RECOVERY_DELAY_MS } from "./intake.ts";
import { migrate } from "./migrations.ts";
import { AGENT_OVERLAP_MS, OVERLAP_MS } from "./secrets.ts";
import { createWebhook, handleAlarm, recoverBatches, type WiredWebhook } from "./wiring.ts";

/** The reason to deactivate a webhook that serves an agent. */
const TOO_MANY_WAIT = "More than 256 MB of events waited for the callback";

/** One webhook: its signing secrets, its deliveries and their attempts. */
export class WebhookObject extends DurableObject<Env> implements WebhookControl {
  // Null until configured: names of deleted webhooks, and of none, have no storage.
  #webhook: WiredWebhook | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    if (!isSetUp(ctx.storage)) return;
    const webhook = this.#setUp();
    const { alarm, sender, deliveries } = webhook;
    void ctx.blockConcurrencyWhile(() => alarm.recall());
    recoverBatches(webhook);
    // Deliveries in flight when the last process crashed are sent again.
    sender.resume();
    // The next alarm may be days away, and each process searches for deliveries from the watermark.
    deliveries.watermark.advance();
  }

  async configure(settings: WebhookSettings): Promise<SigningSecret> {
    const { secrets, health, alerts, alarm, deliveries, sender } = this.#setUp();
    const signingSecret = await secrets.init();
    health.configure(settings);
    if (settings.active) {
      alerts.recovered();
      alerts.send();
      alarm.rearm();
    }
    if (settings.active) sender.resume();
    else deliveries.failAllPending(Date.now());
    return { signingSecret };
  }

  async serve({ agent, ...settings }: ServingSettings, secret: string): Promise<void> {
    const { secrets, health } = this.#setUp();
    await secrets.adopt(secret, AGENT_OVERLAP_MS, Date.now());
    const after = health.current?.agent?.after ?? 0;
    await this.configure({ ...settings, agent: { after, ...agent } });
  }

  async challenge(callback: NewCallback): Promise<CallbackFailure | null> {
    return challenge(callback, networkOf(this.ctx.exports.default, this.env));
  }

  async progress(): Promise<AgentProgress | null> {
    return this.#webhook ? progressOf(this.#webhook) : null;
  }

  async terminate(error: Termination): Promise<void> {
    const { url, agent } = this.#webhook?.health.current ?? {};
    if (!this.#webhook || url === undefined || !agent) return;
    const { secrets, network, sender } = this.#webhook;
    sender.stop();
    const message = controlMessage({ type: "terminated", error }, agent.subscriptionId);
    const target = { url, secrets: await secrets.valid(Date.now()), timeoutMs: TIMEOUT_MS };
    await this.remove();
    // The caller does not wait for a slow callback.
    this.ctx.waitUntil(transmit(message, target, network));
  }

  async rotateSecret(overlapMs = OVERLAP_MS): Promise<SigningSecret> {
    return { signingSecret: (await this.#webhook?.secrets.rotate(overlapMs, Date.now())) ?? null };
  }

  async secrets(): Promise<Secret[]> {
    return (await this.#webhook?.secrets.all()) ?? [];
  }

  async rewrap(): Promise<boolean> {
    await this.#webhook?.secrets.rewrap();
    return true;
  }

  async restore({ settings, secrets }: WebhookSnapshot): Promise<boolean> {
    if (this.#webhook?.health.current) return false;
    await this.#setUp().secrets.restore(secrets);
    await this.configure(settings);
    return true;
  }

  async take(deliveries: NewDelivery[], listeners?: number): Promise<boolean> {
    const webhook = this.#active();
    if (!webhook) return true;
    const { room, alerts, alarm, intake } = webhook;
    const accepted = admitted(deliveries, webhook.health.current, Date.now());
    if (accepted.length > 0 && !room.hasRoom()) return this.#refuse(webhook);
    if (alerts.isFull() && room.isRelieved()) {
      alerts.relieved();
      alarm.arm(Date.now());
    }
    await intake.take(accepted, listeners);
    if (!webhook.sender.isStopped) room.trim();
    return true;
  }

  /** Return whether the deliveries are dropped: a callback of an agent must not delay a source that it shares. */
  async #refuse({ health, alerts, alarm, sender }: WiredWebhook): Promise<boolean> {
    const nowMs = Date.now();
    if (health.current?.agent) sender.deactivate(TOO_MANY_WAIT, nowMs);
    // Alerts go to the owner.
    else if ((await this.#ownerId()) !== undefined) alerts.full(nowMs);
    alarm.arm(nowMs);
    return !health.isActive();
  }

  /** Send its alerts to the router. Null if there is no such webhook any more. */
  async claim(positions: Position[], maxBytes?: number): Promise<Claim | null> {
    return this.#webhook?.history.claim(positions, maxBytes) ?? null;
  }

  /** Remove alerts from the outbox that every listener has; `hasSubscribers`: whether there are any listeners. */
  async acknowledge(positions: Position[], hasSubscribers: boolean): Promise<void> {
    this.#webhook?.history.acknowledgements.acknowledge(positions);
    this.#webhook?.outbox.setHasSubscribers(hasSubscribers);
  }

  async deliveries(query: DeliveryQuery): Promise<DeliveryPage> {
    const { state = "pending" } = query;
    if (state === "pending") this.#webhook?.deliveries.unpack();
    return this.#webhook?.log.page(query) ?? { deliveries: [], totalCount: 0 };
  }

  async delivery(deliveryId: string): Promise<DeliveryDetails | null> {
    const key = deliveryKeyOf(deliveryId);
    if (key) this.#webhook?.deliveries.unpack(key);
    return key && this.#webhook ? detailsOf(this.#webhook, key, Date.now()) : null;
  }

  async replayable(fromMs: number, toMs: number): Promise<number> {
    return this.#active()?.replays.countReplayable(fromMs, toMs, Date.now()) ?? 0;
  }

  async retry(deliveryId: string): Promise<boolean> {
    const webhook = this.#active();
    const key = deliveryKeyOf(deliveryId);
    if (key) webhook?.deliveries.unpack(key);
    if (!webhook || !key || !webhook.replays.requeue(key, Date.now())) return false;
    this.#sendRequeued(webhook);
    return true;
  }

  async replay(fromMs: number, toMs: number): Promise<number> {
    const webhook = this.#active();
    const count = webhook?.replays.requeueRange(fromMs, toMs, Date.now()) ?? 0;
    if (webhook && count > 0) this.#sendRequeued(webhook);
    return count;
  }

  async status(): Promise<WebhookStatus> {
    const { active, failingSinceMs, reason } = this.#webhook?.health.current ?? {};
    return {
      active: active ?? false,
      failingSinceMs: failingSinceMs ?? null,
      reason: reason ?? null,
    };
  }

  async remove(): Promise<void> {
    const { id, ownerId } = this.#webhook?.health.current ?? {};
    if (id && ownerId) await this.env.OWNERS.getByName(ownerId).reportStoredBytes(ownerId, id, 0);
    this.#webhook?.sender.stop();
    this.#webhook?.history.acknowledgements.drop();
    this.#webhook = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async keepAlarm(): Promise<boolean> {
    return (await this.#webhook?.alarm.keep()) ?? false;
  }

  async recover(): Promise<void> {
    this.#webhook?.sender.resume();
  }

  override async alarm(): Promise<void> {
    if (!this.#webhook) return;
    this.#webhook.alarm.handling();
    await handleAlarm(this.#webhook);
  }

  #setUp(): WiredWebhook {
    migrate(this.ctx.storage);
    this.#webhook ??= createWebhook({
      name: this.ctx.id.name,
      storage: this.ctx.storage,
      queue: queueOf(this.env, this.ctx.id.name ?? ""),
      vault: openVault(this.env),
      network: networkOf(this.ctx.exports.default, this.env),
      report: (id, activity) => this.ctx.exports.Directory.recordWebhookActivity(id, activity),
      reportAlerts: (report) => this.ctx.exports.Directory.recordAlerts(report),
      reportDeliveries: (report) => this.#reportDeliveries(report),
    });
    return this.#webhook;
  }

  /** Report to the owner's object. Nothing is counted for a deleted webhook. */
  async #reportDeliveries(report: Omit<DeliveriesReport, "ownerId">): Promise<void> {
    const ownerId = await this.#ownerId();
    if (ownerId === undefined) return;
    await this.env.OWNERS.getByName(ownerId).reportDeliveries({
      ...report,
      ownerId,
      storedBytes: this.ctx.storage.sql.databaseSize,
    });
  }

  /** The owner; undefined: the webhook was deleted. */
  async #ownerId(): Promise<OwnerId | undefined> {
    const { id, ownerId } = this.#webhook?.health.current ?? {};
    if (id === undefined || ownerId !== undefined) return ownerId;
    const owner = await this.ctx.exports.Metering.ownerOfWebhook(id);
    if (owner !== undefined) this.#webhook?.health.setOwner(owner);
    return owner;
  }

  #active(): WiredWebhook | null {
    return this.#webhook?.health.isActive() ? this.#webhook : null;
  }

  #sendRequeued({ alarm, sender }: WiredWebhook): void {
    alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    sender.resume();
  }
}

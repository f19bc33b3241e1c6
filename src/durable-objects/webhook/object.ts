import { DurableObject } from "cloudflare:workers";

import { deliveryKeyOf } from "#domain/delivery-ids.ts";
import { isSetUp } from "#durable-objects/shared/schema.ts";
import { networkOf } from "#sandbox/egress/reach.ts";
import { openVault } from "#vault/vault.ts";

import type {
  DeliveryPage,
  DeliveryQuery,
  NewDelivery,
  Secret,
  SigningSecret,
  WebhookControl,
  WebhookSettings,
  WebhookSnapshot,
  WebhookStatus,
} from "./contract.ts";
import { migrate } from "./migrations.ts";
import { buildParts, type Parts, RECOVERY_DELAY_MS, ring } from "./parts.ts";
import { OVERLAP_MS } from "./secrets.ts";

/** One webhook: its signing secrets, what it has to deliver, and what it has tried. */
export class WebhookObject extends DurableObject<Env> implements WebhookControl {
  // Null until configured: names that were never a webhook, or are no more, hold no storage.
  #parts: Parts | null = null;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    // What was in flight when the last process died is sent again.
    if (isSetUp(ctx.storage)) this.#setUp().sender.resume();
  }

  async configure(settings: WebhookSettings): Promise<SigningSecret> {
    const { secrets, standing, deliveries, sender } = this.#setUp();
    const signingSecret = await secrets.init();
    standing.configure(settings);
    if (settings.active) sender.resume();
    else deliveries.buryAll(Date.now());
    return { signingSecret };
  }

  async rotateSecret(overlapMs = OVERLAP_MS): Promise<SigningSecret> {
    return { signingSecret: (await this.#parts?.secrets.rotate(overlapMs, Date.now())) ?? null };
  }

  async secrets(): Promise<Secret[]> {
    return (await this.#parts?.secrets.all()) ?? [];
  }

  async rewrap(): Promise<boolean> {
    await this.#parts?.secrets.rewrap();
    return true;
  }

  async restore({ settings, secrets }: WebhookSnapshot): Promise<boolean> {
    if (this.#parts?.standing.current) return false;
    await this.#setUp().secrets.restore(secrets);
    await this.configure(settings);
    return true;
  }

  async take(deliveries: NewDelivery[]): Promise<void> {
    const parts = this.#active();
    if (!parts) return;
    const added = this.ctx.storage.transactionSync(() => parts.deliveries.put(deliveries));
    if (added.length === 0) return;
    parts.alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    parts.sender.submit(added);
  }

  async deliveries(query: DeliveryQuery): Promise<DeliveryPage> {
    return this.#parts?.log.page(query) ?? { deliveries: [], totalCount: 0 };
  }

  async retry(deliveryId: string): Promise<boolean> {
    const parts = this.#active();
    const key = deliveryKeyOf(deliveryId);
    if (!parts || !key || !parts.deliveries.requeue(key, Date.now())) return false;
    this.#sendRequeued(parts);
    return true;
  }

  async replay(fromMs: number, toMs: number): Promise<number> {
    const parts = this.#active();
    const count = parts?.deliveries.requeueRange(fromMs, toMs, Date.now()) ?? 0;
    if (parts && count > 0) this.#sendRequeued(parts);
    return count;
  }

  async status(): Promise<WebhookStatus> {
    const { active, failingSinceMs, reason } = this.#parts?.standing.current ?? {};
    return {
      active: active ?? false,
      failingSinceMs: failingSinceMs ?? null,
      reason: reason ?? null,
    };
  }

  async remove(): Promise<void> {
    this.#parts?.sender.stop();
    this.#parts = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  async keepAlarm(): Promise<boolean> {
    return (await this.#parts?.alarm.keep()) ?? false;
  }

  async recover(): Promise<void> {
    this.#parts?.sender.resume();
  }

  override async alarm(): Promise<void> {
    if (this.#parts) await ring(this.#parts);
  }

  #setUp(): Parts {
    migrate(this.ctx.storage);
    this.#parts ??= buildParts({
      name: this.ctx.id.name,
      storage: this.ctx.storage,
      vault: openVault(this.env),
      network: networkOf(this.ctx.exports.default, this.env),
      report: (id, activity) => this.ctx.exports.Directory.recordWebhookActivity(id, activity),
    });
    return this.#parts;
  }

  #active(): Parts | null {
    return this.#parts?.standing.isActive() ? this.#parts : null;
  }

  #sendRequeued({ alarm, sender }: Parts): void {
    alarm.arm(Date.now() + RECOVERY_DELAY_MS);
    sender.resume();
  }
}

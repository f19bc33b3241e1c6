import type { OwnerId } from "#domain/ids.ts";
import { hasFailedTooLong } from "#domain/retries.ts";
import { log } from "#telemetry/log.ts";

import type { WebhookSettings, WebhookStatus } from "./contract.ts";

const KEY = "standing";

type Stored = WebhookSettings & {
  failingSinceMs: number | null;
  reason: string | null;
  isReported: boolean;
  /** The millisecond of its activation; absent if an earlier release activated it. */
  activeSinceMs?: number | undefined;
  /** Its owner, once it was needed. */
  ownerId?: OwnerId;
};

/** Reports a webhook's own change of state. Returns its owner; undefined: it was deleted. */
export type Report = (
  id: WebhookSettings["id"],
  activity: Pick<WebhookStatus, "active" | "reason">,
) => Promise<OwnerId | undefined>;

/** The target of a webhook, whether it accepts deliveries, and since when it has failed. */
export class EndpointHealth {
  readonly #kv: SyncKvStorage;
  readonly #report: Report;
  /** The stored value, once it was read: each delivery needs it many times. */
  #known: Stored | undefined;

  constructor(kv: SyncKvStorage, report: Report) {
    this.#kv = kv;
    this.#report = report;
  }

  get current(): Stored | undefined {
    this.#known ??= this.#kv.get<Stored>(KEY);
    return this.#known;
  }

  /** Read it from storage again, after a change was rolled back. */
  reset(): void {
    this.#known = undefined;
  }

  isActive(): boolean {
    return this.current?.active === true;
  }

  /** Activation, deactivation and a new URL reset the record of failures. */
  configure(settings: WebhookSettings): void {
    const fresh = { failingSinceMs: null, reason: null, isReported: true };
    const { failingSinceMs, reason, isReported, connectSignature, agent, ownerId } = {
      ...fresh,
      ...this.current,
    };
    const goesOn = this.current?.active === settings.active && this.current.url === settings.url;
    this.#put({
      failingSinceMs: goesOn ? failingSinceMs : null,
      reason: settings.active ? null : reason,
      isReported,
      activeSinceMs: this.#activation(),
      ...(connectSignature !== undefined && { connectSignature }),
      ...(agent && { agent }),
      ...(ownerId !== undefined && { ownerId }),
      ...settings,
    });
  }

  /** The time of its activation, if it is active after a change. */
  #activation(): number | undefined {
    return this.isActive() ? this.current?.activeSinceMs : Date.now();
  }

  succeeded(): void {
    if (typeof this.current?.failingSinceMs === "number") this.#change({ failingSinceMs: null });
  }

  /** Record a failure. Returns the reason to deactivate the webhook, if it has failed for too long. */
  failed(nowMs: number): string | undefined {
    const sinceMs = this.current?.failingSinceMs ?? nowMs;
    if (hasFailedTooLong(sinceMs, nowMs)) return "Every delivery has failed for five days";
    if (sinceMs === nowMs) this.#change({ failingSinceMs: nowMs });
    return undefined;
  }

  deactivate(reason: string): void {
    this.#change({ active: false, reason, isReported: false });
  }

  isReported(): boolean {
    return this.current?.isReported ?? true;
  }

  /** Report an unreported change. A change made meanwhile stays unreported. */
  async report(): Promise<void> {
    const reported = this.current;
    if (!reported || reported.isReported) return;
    let ownerId: OwnerId | undefined;
    try {
      ownerId = await this.#report(reported.id, reported);
    } catch (error) {
      log("webhook_unreported", { webhook_id: reported.id, error });
      return;
    }
    if (this.current?.active === reported.active)
      this.#change({ isReported: true, ...(ownerId !== undefined && { ownerId }) });
  }

  /** Store the owner of the webhook. */
  setOwner(ownerId: OwnerId): void {
    this.#change({ ownerId });
  }

  #change(change: Partial<Stored>): void {
    const old = this.current;
    if (old) this.#put({ ...old, ...change });
  }

  #put(stored: Stored): void {
    this.#kv.put(KEY, stored);
    this.#known = stored;
  }
}

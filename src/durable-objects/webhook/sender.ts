import { deliveryId, type DeliveryKey } from "#domain/delivery-ids.ts";
import { nextAttempt } from "#domain/retries.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";
import type { Network } from "#sandbox/egress/network.ts";
import { log } from "#telemetry/log.ts";
import { during, mayBegin } from "#telemetry/under-way.ts";
import type { Vault } from "#vault/vault.ts";

import type { DeliveryActivity } from "./activity.ts";
import { agentMessage, hasExpired } from "./agent-delivery.ts";
import type { WebhookAlerts } from "./alerts.ts";
import {
  type DeliveryAttempt,
  isSuccess,
  type Message,
  messageOf,
  TIMEOUT_MS,
  transmit,
} from "./attempt.ts";
import type { AgentDelivery, Attempt } from "./contract.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Next, PendingDelivery } from "./delivery-rows.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import type { Secrets } from "./secrets.ts";
import type { Telemetry } from "./telemetry.ts";

/** Maximum concurrent requests to a receiver. */
const MAX_IN_FLIGHT = 6;

/** Maximum keys in the queue; the rest waits in storage, or held in memory, until there is room. */
const QUEUE_LENGTH = 1000;

const GONE = 410;

/** The responses by which an agent's callback rejects one event for good (SEP-3415: Webhook event delivery). */
const REJECTIONS = new Set<number | null>([GONE, 413]);

type Deps = {
  deliveries: Deliveries;
  secrets: Secrets;
  health: EndpointHealth;
  alerts: WebhookAlerts;
  activity: DeliveryActivity;
  alarm: Alarm;
  network: Network;
  vault: Vault;
  telemetry: Telemetry;
};

/** Sends pending deliveries, a few at a time. All its state can be read again from storage. */
export class Sender {
  readonly #deps: Deps;
  #queue: DeliveryKey[] = [];
  /** Queued or in flight: nothing is sent twice at a time. */
  readonly #claimed = new Set<string>();
  #inFlight = 0;
  #hasMore = false;
  #isStopped = false;
  #latencyMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Whether a delivery is in flight or queued. */
  isBusy(): boolean {
    return this.#inFlight > 0 || this.#queue.length > 0 || this.#hasMore;
  }

  /** Duration of the last attempt; 0 before the first one. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  /** Whether the queue has room for more deliveries. Without room, callers must not wait for the attempts. */
  hasRoom(count: number): boolean {
    return !this.#hasMore && this.#queue.length + count <= QUEUE_LENGTH;
  }

  /** Send these deliveries, unless they are queued or in flight. */
  submit(keys: readonly DeliveryKey[]): void {
    if (this.hasRoom(keys.length)) for (const key of keys) this.#claim(key);
    else this.#hasMore = true;
    this.#pump();
  }

  /** Send the pending deliveries in storage, and those held. */
  resume(): void {
    this.#hasMore = true;
    this.#pump();
  }

  /** Drop everything, the results of deliveries in flight included. */
  stop(): void {
    this.#isStopped = true;
    this.#queue = [];
    this.#hasMore = false;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  #pump(): void {
    if (this.#isStopped) return;
    if (this.#queue.length === 0 && this.#hasMore) this.#refill();
    while (this.#inFlight < MAX_IN_FLIGHT && mayBegin()) {
      const key = this.#queue.shift();
      if (!key) return;
      this.#inFlight += 1;
      void during("runs", () => this.#deliver(key));
    }
  }

  #refill(): void {
    const most = QUEUE_LENGTH / 2;
    const waiting = this.#deps.deliveries.waiting(Date.now(), most);
    // At least one kind may have more; one search too many does no harm.
    this.#hasMore = waiting.length >= most;
    for (const key of waiting) this.#claim(key);
  }

  #claim(key: DeliveryKey): void {
    const id = deliveryId(key);
    if (this.#claimed.has(id)) return;
    this.#claimed.add(id);
    this.#queue.push(key);
  }

  async #deliver(key: DeliveryKey): Promise<void> {
    try {
      const pending = this.#deps.deliveries.pending(key);
      if (pending) await this.#attempt(pending);
    } catch (error) {
      // The alarm finds it again.
      log("delivery_unsettled", { webhook_id: this.#deps.health.current?.id, error });
    } finally {
      this.#claimed.delete(deliveryId(key));
      this.#inFlight -= 1;
      this.#pump();
    }
  }

  async #attempt(pending: PendingDelivery): Promise<void> {
    const { secrets, health, network } = this.#deps;
    const { url, connectSignature = false, agent } = health.current ?? {};
    if (url === undefined) return;
    if (agent && hasExpired(agent, Date.now())) {
      this.#deps.deliveries.failAllPending(Date.now());
      return;
    }
    const [valid, message] = await Promise.all([
      secrets.valid(Date.now()),
      this.#messageOf(pending, agent),
    ]);
    // It may have been removed meanwhile: then nothing may be sent.
    if (this.#isStopped) return;
    const target = { url, secrets: valid, timeoutMs: TIMEOUT_MS, connectSignature };
    const tried = await transmit(message, target, network);
    // The webhook may have been removed meanwhile: then nothing of it may be written.
    if (!this.#isStopped) this.#settle(pending, tried);
  }

  async #messageOf(pending: PendingDelivery, agent: AgentDelivery | undefined): Promise<Message> {
    if (!agent) return messageOf(pending);
    const { position } = pending;
    const { deliveries, vault } = this.#deps;
    const first = deliveries.firstUnsettled() ?? position;
    const watermark = first < position ? first - 1 : position;
    return agentMessage(pending, agent, { watermark, vault });
  }

  #settle(pending: PendingDelivery, { retryAfterMs, ...tried }: DeliveryAttempt): void {
    const { attempt } = tried;
    const { deliveries, health, telemetry } = this.#deps;
    const isDone = isSuccess(attempt);
    this.#latencyMs = attempt.latencyMs;
    const next = isDone
      ? { state: "delivered" as const }
      : this.#afterFailure(pending, tried.attempt, retryAfterMs);
    deliveries.record(pending, tried, next);
    void this.#count(!isDone);
    telemetry.attempted(health.current?.id ?? "", pending, { attempt, next });
    if (isDone) health.succeeded();
    else if (health.isActive() && !this.#isRejected(attempt)) this.#countFailure(attempt);
  }

  /** Whether an agent's callback works, and rejects this event alone. */
  #isRejected({ status }: Attempt): boolean {
    return this.#deps.health.current?.agent !== undefined && REJECTIONS.has(status);
  }

  /** Count an attempt, and report it at once or with the alarm. */
  async #count(isFailed: boolean): Promise<void> {
    const { activity, health, alarm } = this.#deps;
    const nowMs = Date.now();
    activity.count(isFailed, nowMs);
    if (activity.nextDueMs(nowMs) === nowMs) await activity.flush(health.current?.id, nowMs);
    const dueMs = activity.nextDueMs(Date.now());
    if (dueMs !== undefined && !this.#isStopped) alarm.arm(dueMs);
  }

  /** Deactivate the webhook if it responded with 410, or has failed for too long. */
  #countFailure(attempt: Attempt): void {
    const nowMs = Date.now();
    const lateReason = this.#deps.health.failed(nowMs);
    const reason = attempt.status === GONE ? "The receiver responded with 410 Gone" : lateReason;
    if (reason !== undefined) this.deactivate(reason, nowMs);
  }

  /** Deactivate the webhook, alert its owner, and give up its waiting deliveries. */
  deactivate(reason: string, nowMs: number): void {
    const { deliveries, health, telemetry, alerts, alarm } = this.#deps;
    alerts.disable(reason, nowMs);
    telemetry.deactivated(health.current?.id ?? "");
    deliveries.failAllPending(nowMs);
    alarm.arm(nowMs);
  }

  #afterFailure(
    { failures }: PendingDelivery,
    attempt: Attempt,
    retryAfterMs: number | undefined,
  ): Next {
    const { health, alarm } = this.#deps;
    const plannedMs = this.#isRejected(attempt)
      ? undefined
      : nextAttempt(failures + 1, Date.now(), Math.random());
    if (plannedMs === undefined || !health.isActive()) return { state: "dead" };
    const dueMs = Math.max(plannedMs, retryAfterMs ?? 0);
    alarm.arm(dueMs);
    return { state: "failed", dueMs };
  }
}

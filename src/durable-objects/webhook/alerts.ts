import { type AlertChange, type AlertState, raise, recover } from "#domain/alerts.ts";
import type { EmissionMessage } from "#domain/messages.ts";
import { Alerts, type ReportAlerts } from "#durable-objects/emitter/alerts.ts";
import { EventHistory, inTransaction } from "#durable-objects/emitter/history.ts";
import { Outbox } from "#durable-objects/emitter/outbox.ts";

import type { EndpointHealth } from "./endpoint-health.ts";

/** Maximum alerts that are sent to the queue at once. */
const MAX_SENT = 100;

type Deps = {
  storage: DurableObjectStorage;
  alerts: Alerts;
  history: EventHistory;
  outbox: Outbox;
  health: EndpointHealth;
};

/** Wire the alerts of a webhook, over its storage. */
export function createAlerts({
  storage,
  queue,
  health,
  reportAlerts,
}: {
  storage: DurableObjectStorage;
  queue: Queue<EmissionMessage>;
  health: EndpointHealth;
  reportAlerts: ReportAlerts;
}) {
  const history = new EventHistory(storage.sql);
  const outbox = new Outbox(async (positions) => {
    const { id: sourceId, ownerId } = health.current ?? {};
    if (sourceId && ownerId) await queue.send({ sourceId, ownerId, positions });
  });
  const known = new Alerts(storage.kv, reportAlerts);
  const alerts = new WebhookAlerts({ storage, alerts: known, history, outbox, health });
  return { alerts, history, outbox };
}

/** Alerts the owner of a deactivated or full webhook: the only events that a webhook emits. */
export class WebhookAlerts {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Deactivate the webhook and notify its owner, or do neither. */
  disable(reason: string, nowMs: number): void {
    this.#write(() => {
      this.#deps.health.deactivate(reason);
      this.#disabled(reason, nowMs);
    });
  }

  #disabled(reason: string, nowMs: number): void {
    const { url = "", failingSinceMs } = this.#deps.health.current ?? {};
    const message = `The webhook was deactivated and sends nothing: ${reason}. Repair its receiver, activate it with PUT /v1/webhooks/{id} and active=true, then replay the missed events.`;
    this.#change((state) =>
      raise(state, {
        kind: "webhook_disabled",
        sinceMs: nowMs,
        message,
        details: {
          url,
          reason,
          failing_since: new Date(failingSinceMs ?? nowMs).toISOString(),
        },
      }),
    );
  }

  /** Notify the owner that too many bytes of deliveries wait for the receiver. */
  full(nowMs: number): void {
    const { url = "" } = this.#deps.health.current ?? {};
    const message =
      "More than 256 MB of deliveries wait for the receiver: further events wait at their sources, whose runs stop at 128 MB each. Repair or speed up the receiver, or deactivate the webhook.";
    const alert = { kind: "webhook_full", sinceMs: nowMs, message, details: { url } } as const;
    this.#write(() => this.#change((state) => raise(state, alert)));
  }

  /** Whether the owner was notified that it is full, and not yet that it no longer is. */
  isFull(): boolean {
    return this.#deps.alerts.state().open.some(({ kind }) => kind === "webhook_full");
  }

  /** Record that it is no longer full. */
  relieved(): void {
    this.#write(() => this.#change((state) => recover(state, "webhook_full")));
  }

  /** Record that the webhook is active again. */
  recovered(): void {
    this.#write(() => this.#change((state) => recover(state, "webhook_disabled")));
  }

  /** The time of the next report to the directory, epoch milliseconds. */
  nextDueMs(): number | undefined {
    return this.#deps.alerts.nextDueMs();
  }

  /** Report open alerts to the directory, if that is due. */
  async report(): Promise<void> {
    const { alerts, health } = this.#deps;
    const id = health.current?.id;
    if (id !== undefined) await alerts.report(id, Date.now());
  }

  /** Notify the router of undelivered alerts. Their owner is known once the change was reported to the directory. */
  send(): void {
    const { history, health, outbox } = this.#deps;
    const waiting = history.undelivered(Date.now() + 1, MAX_SENT);
    if (waiting.length === 0 || !health.isReported()) return;
    // No row: the webhook is being deleted, and nobody is left to notify.
    if (health.current?.ownerId === undefined) history.acknowledgements.acknowledge(waiting);
    else outbox.notify(waiting);
  }

  #change(decide: (state: AlertState) => AlertChange | undefined): void {
    const { alerts, history, health } = this.#deps;
    const id = health.current?.id;
    if (id === undefined) return;
    const events = alerts.change({ type: "webhook", id, name: null }, decide);
    if (events.length > 0) history.append(events, Date.now());
  }

  #write(write: () => void): void {
    try {
      inTransaction(this.#deps, write);
    } catch (error) {
      this.#deps.alerts.reset();
      this.#deps.health.reset();
      throw error;
    }
  }
}

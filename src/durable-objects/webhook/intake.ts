import { withTimeout } from "#domain/timeout.ts";
import type { Alarm } from "#durable-objects/shared/alarm.ts";

import type { NewDelivery } from "./contract.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Sender } from "./sender.ts";

/** Time for which a stored delivery may be in flight before the alarm checks it; the alarm reports attempts, too. */
export const RECOVERY_DELAY_MS = 10_000;

/** Time for which a settled delivery is kept. */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

/** A delivery whose attempt ends within this time is stored once, with its outcome; a slower one also before that. */
const QUICK_MS = 100;

/** The same for many deliveries at once, which are sent a few at a time. */
const MANY = 32;
const MANY_QUICK_MS = 300;

/** From this number of listeners in a pass of the router on, their deliveries wait for each other on one machine: … */
const CROWD = 100;

/** … the same for each of them, … */
const CROWD_QUICK_MS = 1;
const MAX_CROWD_QUICK_MS = 1000;

/** … and the last attempt may have been so much slower because it waited for others. */
const CROWD_LATENCY = 3;

/** Deliveries in quick succession do not wait for slower receivers, because other events of the router would wait, too. */
const QUICK_IN_SUCCESSION_MS = 50;
const PAUSE_MS = 1000;

type Deps = { deliveries: Deliveries; sender: Sender; alarm: Alarm };

/**
 * Accepts events, each once. A delivery is sent before it is stored: until `take` returns, the outbox of its emitter keeps
 * it, so a crash repeats the attempt and loses nothing.
 */
export class Intake {
  readonly #deps: Deps;
  #lastMs = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Accept events. When this returns they survive a crash. `listeners`: the number of those that get events in the same
   * pass of the router.
   */
  async take(wanted: readonly NewDelivery[], listeners = 1): Promise<void> {
    if (wanted.length === 0) return;
    const { deliveries, sender, alarm } = this.#deps;
    const crowdMs = quickMsOfCrowd(listeners);
    const mayWait = this.#isQuick(Date.now(), crowdMs) && sender.hasRoom(wanted.length);
    sender.submit(deliveries.hold(wanted));
    const waitMs = Math.max(wanted.length < MANY ? QUICK_MS : MANY_QUICK_MS, crowdMs);
    // Also for deliveries of an earlier call.
    if (mayWait) await withTimeout(deliveries.held.whenDurable(wanted), waitMs, () => undefined);
    // Removed meanwhile: nothing may be written any more.
    if (sender.isStopped) return;
    this.#store(deliveries.held.unstored(wanted));
    alarm.arm(Date.now() + RETENTION_MS);
  }

  /** Whether the receiver is likely to respond in time. */
  #isQuick(nowMs: number, crowdMs: number): boolean {
    const isInSuccession = nowMs - this.#lastMs < PAUSE_MS;
    this.#lastMs = nowMs;
    const quickMs = isInSuccession ? QUICK_IN_SUCCESSION_MS : QUICK_MS;
    return this.#deps.sender.latencyMs <= Math.max(quickMs, CROWD_LATENCY * crowdMs);
  }

  #store(deliveries: readonly NewDelivery[]): void {
    if (deliveries.length === 0) return;
    try {
      this.#deps.deliveries.store(deliveries);
    } catch (error) {
      // Their emitter keeps them, and delivers them again.
      this.#deps.deliveries.held.reject(deliveries, error);
      throw error;
    }
    this.#deps.alarm.arm(Date.now() + RECOVERY_DELAY_MS);
  }
}

function quickMsOfCrowd(listeners: number): number {
  return listeners < CROWD ? 0 : Math.min(listeners * CROWD_QUICK_MS, MAX_CROWD_QUICK_MS);
}

import { dayOf, type Egress, type EgressReport } from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

/** How long requests gather before they are reported: each report costs a row for each owner. */
const GATHER_MS = 4000;

/**
 * Counts what components sent through one isolate of ours, by owner and day, until it is reported. What a report did
 * not bring home is in the next one; what an isolate had not reported when it ended is lost.
 */
export class EgressTally {
  #sums = new Map<string, EgressReport>();
  // Since when a request waits to report; one that was cut short does not hold up the next for ever.
  #settlingMs: number | undefined;

  /** Count what an owner's component sent. */
  add(ownerId: OwnerId, egress: Egress, nowMs = Date.now()): void {
    this.#merge({ ownerId, day: dayOf(nowMs / 1000), ...egress });
  }

  /** Report what has gathered, in a while, unless another request is about to. Never rejects. */
  async settle(
    report: (sums: EgressReport[]) => Promise<void>,
    gatherMs = GATHER_MS,
  ): Promise<void> {
    const nowMs = Date.now();
    if (this.#settlingMs !== undefined && nowMs - this.#settlingMs < 2 * gatherMs) return;
    this.#settlingMs = nowMs;
    await scheduler.wait(gatherMs);
    this.#settlingMs = undefined;
    const sums = [...this.#sums.values()];
    this.#sums = new Map();
    if (sums.length === 0) return;
    try {
      await report(sums);
    } catch (error) {
      for (const sum of sums) this.#merge(sum);
      log("egress_unreported", { count: sums.length, error });
    }
  }

  #merge(more: EgressReport): void {
    const key = `${more.ownerId} ${more.day}`;
    const sum = this.#sums.get(key);
    if (!sum) return void this.#sums.set(key, { ...more });
    sum.requests += more.requests;
    sum.sentBytes += more.sentBytes;
    sum.receivedBytes += more.receivedBytes;
    sum.unmeasured += more.unmeasured;
  }
}

import { dayOf, type Egress, type EgressReport } from "#domain/billing.ts";
import type { OwnerId } from "#domain/ids.ts";
import { log } from "#telemetry/log.ts";

/** Time between reports: each report writes a row per owner. */
const GATHER_MS = 4000;

/**
 * Counts egress through one isolate of the platform, by owner and day, until it is reported. Counts of a failed report
 * are in the next one; unreported counts of an isolate that ends are lost.
 */
export class EgressTally {
  #sums = new Map<string, EgressReport>();
  // The time since which a request waits for the report. If that request is cancelled, a later one reports instead.
  #settlingMs: number | undefined;

  /** Count a request of an owner's component. */
  add(ownerId: OwnerId, egress: Egress, nowMs = Date.now()): void {
    this.#merge({ ownerId, day: dayOf(nowMs / 1000), ...egress });
  }

  /** Report the counts after a delay, unless another request is about to. Never rejects. */
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

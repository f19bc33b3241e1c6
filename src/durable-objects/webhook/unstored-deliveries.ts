import { deliveryId, type DeliveryKey } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";

import type { NewDelivery } from "./contract.ts";
import type { PendingDelivery } from "./delivery-rows.ts";

type Unstored = { delivery: NewDelivery; end: PromiseWithResolvers<void> };

/** Deliveries that are sent before they are stored. Their emitters keep them until then, so a crash only repeats attempts. */
export class UnstoredDeliveries {
  readonly #deliveries = new Map<string, Unstored>();

  /** The number of deliveries. */
  get size(): number {
    return this.#deliveries.size;
  }

  add(delivery: NewDelivery): void {
    this.#deliveries.set(deliveryId(delivery), { delivery, end: Promise.withResolvers() });
  }

  has(key: DeliveryKey): boolean {
    return this.#deliveries.has(deliveryId(key));
  }

  /** A delivery as its first attempt sends it. */
  get(key: DeliveryKey): PendingDelivery | undefined {
    const one = this.#deliveries.get(deliveryId(key));
    return one && { ...one.delivery, attempt: 1, failures: 0, attempts: [] };
  }

  all(): NewDelivery[] {
    return [...this.#deliveries.values()].map(({ delivery }) => delivery);
  }

  /** Remove deliveries that are stored now. */
  remove(keys: readonly DeliveryKey[]): void {
    for (const key of keys) {
      const id = deliveryId(key);
      this.#deliveries.get(id)?.end.resolve();
      this.#deliveries.delete(id);
    }
  }

  /** Resolves once all of these are stored. */
  async stored(keys: readonly DeliveryKey[]): Promise<void> {
    const ends = keys.flatMap((key) => this.#deliveries.get(deliveryId(key)) ?? []);
    await Promise.all(ends.map(({ end }) => end.promise));
  }

  /** The lowest position; undefined if there are none. */
  first(): Position | undefined {
    const positions = this.all().map(({ position }) => position);
    return positions.length === 0 ? undefined : Math.min(...positions);
  }
}

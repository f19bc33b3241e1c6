import { deliveryId, type DeliveryKey } from "#domain/delivery-ids.ts";
import type { Position } from "#domain/event-ids.ts";

import type { NewDelivery } from "./contract.ts";
import type { DeliveryBatches } from "./delivery-batches.ts";
import type { PendingDelivery } from "./delivery-rows.ts";

/** From this number on, a batch costs fewer rows than its deliveries. */
const MIN_IN_BATCH = 3;

/** Maximum characters of the payloads in a batch: a row may have 2 MB, and a character three bytes. */
const MAX_BATCH_CHARACTERS = 500_000;

/** Maximum deliveries in batches, and characters of their payloads, because memory contains them. */
const MAX_IN_BATCHES = 5000;
const MAX_CHARACTERS = 2_000_000;

type Batch = { id: number; remaining: number };

type Held = { delivery: NewDelivery; stored: PromiseWithResolvers<void>; batch?: Batch };

/**
 * Deliveries in memory until they have rows of their own. Until they are stored in a batch, too, their emitters keep them,
 * so a crash only repeats attempts.
 */
export class HeldDeliveries {
  readonly #batches: DeliveryBatches;
  readonly #held = new Map<string, Held>();
  #inBatches = 0;
  #charactersInBatches = 0;

  constructor(batches: DeliveryBatches) {
    this.#batches = batches;
  }

  add(delivery: NewDelivery): void {
    this.#held.set(deliveryId(delivery), { delivery, stored: Promise.withResolvers() });
  }

  has(key: DeliveryKey): boolean {
    return this.#held.has(deliveryId(key));
  }

  /** A delivery as its first attempt sends it. */
  get(key: DeliveryKey): PendingDelivery | undefined {
    const held = this.#held.get(deliveryId(key));
    return held && { ...held.delivery, attempt: 1, failures: 0, attempts: [] };
  }

  all(): NewDelivery[] {
    return [...this.#held.values()].map(({ delivery }) => delivery);
  }

  /** Those of `keys` that are in no batch. */
  unstored(keys: readonly DeliveryKey[]): NewDelivery[] {
    return this.#find(keys).flatMap(({ delivery, batch }) => (batch ? [] : delivery));
  }

  /** Those in batches. */
  batched(): NewDelivery[] {
    return [...this.#held.values()].flatMap(({ delivery, batch }) => (batch ? delivery : []));
  }

  /** The first ones, at most `limit`. */
  first(limit: number): DeliveryKey[] {
    return [...this.#held.values().take(limit)].map(({ delivery: { position, emitterId } }) => ({
      position,
      emitterId,
    }));
  }

  /** Store unstored deliveries in one row. False if they are too few or too large: then nothing is stored. */
  store(deliveries: readonly NewDelivery[]): boolean {
    const characters = charactersOf(deliveries);
    if (!this.#hasRoom(deliveries.length, characters)) return false;
    const batch = { id: this.#batches.add(deliveries), remaining: deliveries.length };
    this.#inBatches += deliveries.length;
    this.#charactersInBatches += characters;
    for (const held of this.#find(deliveries)) {
      held.batch = batch;
      held.stored.resolve();
    }
    return true;
  }

  #hasRoom(count: number, characters: number): boolean {
    return (
      count >= MIN_IN_BATCH &&
      characters <= MAX_BATCH_CHARACTERS &&
      this.#inBatches + count <= MAX_IN_BATCHES &&
      this.#charactersInBatches + characters <= MAX_CHARACTERS
    );
  }

  /** Remove deliveries that have rows of their own now, and each batch whose last delivery this was. */
  remove(keys: readonly DeliveryKey[]): void {
    for (const { delivery, stored, batch } of this.#find(keys)) {
      this.#held.delete(deliveryId(delivery));
      stored.resolve();
      if (batch) this.#removeFrom(batch, delivery);
    }
  }

  #removeFrom(batch: Batch, delivery: NewDelivery): void {
    this.#inBatches -= 1;
    this.#charactersInBatches -= charactersOf([delivery]);
    batch.remaining -= 1;
    if (batch.remaining === 0) this.#batches.delete(batch.id);
  }

  /** Resolves once all of these are stored. */
  async stored(keys: readonly DeliveryKey[]): Promise<void> {
    await Promise.all(this.#find(keys).map(({ stored }) => stored.promise));
  }

  /** The lowest position; undefined if there are none. */
  firstPosition(): Position | undefined {
    let first: Position | undefined;
    for (const { delivery } of this.#held.values())
      first = Math.min(first ?? delivery.position, delivery.position);
    return first;
  }

  #find(keys: readonly DeliveryKey[]): Held[] {
    return keys.flatMap((key) => this.#held.get(deliveryId(key)) ?? []);
  }
}

function charactersOf(deliveries: readonly NewDelivery[]): number {
  return deliveries.reduce((sum, { payload }) => sum + payload.length, 0);
}
